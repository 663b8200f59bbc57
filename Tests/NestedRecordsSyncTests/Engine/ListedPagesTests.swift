import NestedRecords
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecordsSync

@Suite struct ListedPagesTests {
    private func databases(
        _ count: Int, batchLimit: Int = .max
    ) async throws -> (local: HookedDatabase, remote: HookedDatabase) {
        let limits = RecordDatabaseLimits(batchCount: batchLimit)
        let local = HookedDatabase(InMemoryRecordDatabase())
        let remote = HookedDatabase(InMemoryRecordDatabase(), limits: limits)
        let records = try (0..<count).map { try Record(id: Record.ID(type: "Card", name: "\($0)"), fields: ["n": 1]) }
        try await remote.base.commit(RecordBatch(saving: records))
        return (local, remote)
    }

    private func options(pageSize: Int) -> SyncOptions {
        var options = SyncOptions()
        options.pageSize = pageSize
        return options
    }

    @Test func versionsOfManyRecordsAreListedInFewCalls() async throws {
        let (local, remote) = try await databases(1_000)
        let sync = try RecordSync(local, with: remote, named: "cloud", options: options(pageSize: 5))
        try await sync.synchronize()
        #expect(try await local.contents() == remote.contents())
        // A call for each page would be 200.
        #expect(remote.versionLimits.count < 110)
        // The bases beside the remote records, then the local records and their bases.
        #expect(local.versionLimits.count < 3 * 110)
        // Records are still read, compared and saved page by page.
        let saved = local.batches.map { $0.saves.count { !$0.id.isReserved } }.filter { $0 > 0 }
        #expect(saved == Array(repeating: 5, count: 200))
    }

    @Test func callsListNoMoreVersionsThanTheLimits() async throws {
        let (local, remote) = try await databases(500, batchLimit: 10)
        let sync = try RecordSync(local, with: remote, named: "cloud", options: options(pageSize: 5))
        try await sync.synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(remote.versionLimits.max() == 10)
    }

    @Test func pagesAreTheRecordsInTheOrderOfTheirNames() async throws {
        let (local, remote) = try await databases(300)
        let context = try SyncContext(local, remote, named: "cloud", options(pageSize: 7), SyncEnvironment())
        // Bases of records that the remote database does not have, among the others.
        for number in stride(from: 200, to: 400, by: 3) {
            let id = try context.names.baseID(of: Record.ID(type: "Card", name: "\(number)"))
            try await local.base.commit(RecordBatch(saving: [Record(id: id)]))
        }
        let names = Set((0..<300).map { "\($0)" } + stride(from: 200, to: 400, by: 3).map { "\($0)" }).sorted()
        for start in [nil, "0", "17", "250", "399", "x"] {
            var found: [String] = []
            var lastEnd: String?
            for try await page in ListedPages(
                of: ["Bed", "Card", "Desk"], in: remote, from: ("Card", start), context)
            {
                #expect(page.ids.count <= 7 && page.type != "Bed" && page.ids.allSatisfy { $0.type == page.type })
                found += page.ids.map(\.name)
                #expect(page.end == nil || page.end == found.last)
                lastEnd = page.end
            }
            #expect(lastEnd == nil)
            #expect(found == names.filter { name in start.map { $0 < name } ?? true })
        }
    }

    @Test func typesAreListedInOneOrder() async throws {
        let (local, remote) = try await databases(0)
        for type in ["A", "B", "C"] {
            for number in 0..<200 { try await remote.base.put("\(number)", [:], type: type) }
        }
        let context = try SyncContext(local, remote, named: "cloud", options(pageSize: 5), SyncEnvironment())
        var found: [String] = []
        for try await page in ListedPages(of: ["A", "B", "C"], in: remote, context) {
            found += page.ids.map(\.description)
        }
        #expect(found.count == 600 && found == found.sorted())
        // What was listed of other types counts: with pages alone it would be 120.
        #expect(remote.versionLimits.count < 100)
    }

    @Test func aFirstPullGoesOnInTheMiddleOfWhatOneCallHasListed() async throws {
        let (local, remote) = try await databases(400)
        local.after { [local] _ in if local.batches.count == 90 { throw Malfunction() } }
        let options = options(pageSize: 4)
        await #expect(throws: Malfunction.self) {
            try await RecordSync(local, with: remote, named: "cloud", options: options).synchronize()
        }
        let arrived = try await local.contents().count
        local.after { _ in }
        remote.forgetCalls()
        try await RecordSync(local, with: remote, named: "cloud", options: options).synchronize()
        #expect(try await local.contents() == remote.contents())
        #expect(remote.fetched.count == 400 - arrived)
    }
}

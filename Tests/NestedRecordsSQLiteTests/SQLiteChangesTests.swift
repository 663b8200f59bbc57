#if SQLite
import Foundation
@testable import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsSQLite

@Suite struct SQLiteChangesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ name: String = "test.sqlite", _ change: (inout SQLiteRecordDatabase.Options) -> Void = { _ in }
    ) throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.durability = .relaxed
        change(&options)
        return try SQLiteRecordDatabase(path: folder.path(name), options: options)
    }

    private func expectExpired(
        _ expiry: ChangeToken.Expiry, _ token: ChangeToken, in database: SQLiteRecordDatabase
    ) async {
        let failure = await #expect(throws: RecordDatabaseError.self) {
            try await database.changes(since: token, limit: 1)
        }
        #expect(failure?.expiry == expiry)
        let other = await #expect(throws: RecordDatabaseError.self) {
            try await database.waitForChanges(after: token)
        }
        #expect(other?.expiry == expiry)
    }

    @Test func batchesThatChangeNothingAreNotChanges() async throws {
        let database = try open()
        let token = try await database.changeToken()
        var batch = RecordBatch(deletingAnyVersionOf: [try Record.ID("A/none")])
        batch.conditions = [RecordBatch.VersionedID(try Record.ID("A/other"), version: .missing)]
        try await database.commit(batch)
        try await database.commit(RecordBatch())
        #expect(try await database.changeToken() == token)
    }

    @Test func tokensFromBeforeARestoreAreRefused() async throws {
        var database = try open()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        let old = try await database.changeToken()
        try await database.close()
        try FileManager.default.copyItem(atPath: folder.path("test.sqlite"), toPath: folder.path("backup.sqlite"))
        database = try open()
        try await database.commit(RecordBatch(saving: [try Flat.record("A/2")], savePolicy: .overwrite))
        let token = try await database.changeToken()
        try await database.close()

        let restored = try open("backup.sqlite")
        await expectExpired(.wentBack, token, in: restored)
        try await restored.commit(RecordBatch(saving: [try Flat.record("A/3")], savePolicy: .overwrite))
        await expectExpired(.wentBack, token, in: restored)
        #expect(try await restored.changes(since: old, limit: 9).saved.map(\.id.name) == ["3"])
    }

    @Test func deletionsAreForgottenAndTokensBeforeThemRefused() async throws {
        let database = try open { $0.maximumDeletionCount = 8 }
        let ids = try (0..<40).map { try Record.ID("A/\($0)") }
        try await database.commit(RecordBatch(saving: try ids.map { try Record(id: $0) }, savePolicy: .overwrite))
        var tokens = [try await database.changeToken()]
        for id in ids {
            try await database.commit(RecordBatch(deletingAnyVersionOf: [id]))
            tokens.append(try await database.changeToken())
        }
        await expectExpired(.purged, tokens[0], in: database)
        var oldest: Int?
        for (position, token) in tokens.enumerated() {
            do {
                let changes = try await database.changes(since: token, limit: 100)
                oldest = oldest ?? position
                #expect(changes.deleted == Array(ids[position...]))
            } catch RecordDatabaseError.Code.changeTokenExpired {
                #expect(oldest == nil)
            }
        }
        #expect(try #require(oldest) >= 30 && oldest ?? 40 <= 32, "8 to 10 deletions are remembered")
        // Those that come back are no deletions any more.
        try await database.commit(RecordBatch(saving: try ids.map { try Record(id: $0) }, savePolicy: .overwrite))
        let last = try #require(tokens.last)
        #expect(try await database.changes(since: last, limit: 100).saved.count == 40)
        #expect(try await database.verify().isEmpty)
    }

    @Test func noDeletionIsRememberedIfNoneShallBe() async throws {
        let database = try open { $0.maximumDeletionCount = 0 }
        try await database.commit(
            RecordBatch(saving: [try Flat.record("A/1"), try Flat.record("A/2")], savePolicy: .overwrite))
        let before = try await database.changeToken()
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try Record.ID("A/1"), try Record.ID("A/2")]))
        await expectExpired(.purged, before, in: database)
        #expect(try await database.changes(since: database.changeToken(), limit: 1).isEmpty)
    }

    @Test(arguments: [Duration.seconds(3_600), .seconds(Int64.max)])
    func savesWakeWaiters(_ interval: Duration) async throws {
        let database = try open { $0.pollInterval = interval }
        let token = try await database.changeToken()
        let waiters = (0..<5).map { _ in Task { try await database.waitForChanges(after: token) } }
        // The pause begins with the first one who waits.
        try await waitUntil { database.doorbell.waiterCount == waiters.count }
        try await database.commit(RecordBatch(saving: [try Flat.record("A/1")], savePolicy: .overwrite))
        for waiter in waiters { try await waiter.value }
        try await database.waitForChanges(after: token)
    }

    @Test func savesOfOtherDatabasesWakeWaiters() async throws {
        let (database, other) = (try open { $0.pollInterval = .milliseconds(5) }, try open())
        for round in 0..<10 {
            let token = try await database.changeToken()
            let waiter = Task { try await database.waitForChanges(after: token) }
            try await other.commit(RecordBatch(saving: [try Flat.record("A/\(round)")], savePolicy: .overwrite))
            try await waiter.value
            #expect(try await database.changes(since: token, limit: 9).saved.map(\.id.name) == ["\(round)"])
        }
    }

    @Test func waitingIsCancelledAtOnce() async throws {
        let database = try open { $0.pollInterval = .seconds(3_600) }
        let token = try await database.changeToken()
        let waiter = Task { try await database.waitForChanges(after: token) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test func closingEndsWaiting() async throws {
        let database = try open { $0.pollInterval = .seconds(3_600) }
        let token = try await database.changeToken()
        let waiter = Task { try await database.waitForChanges(after: token) }
        try await database.close()
        let failure = await #expect(throws: RecordDatabaseError.self) { try await waiter.value }
        #expect(failure?.code == .closed)
    }

    @Test func liveValuesGoOnWhereDeletionsAreForgotten() async throws {
        struct Item: RecordCodable, Identifiable {
            var id: Int
            var number: Int
            static let recordType = "ForgottenItem"
        }
        let database = try open { $0.maximumDeletionCount = 1 }
        try await database.values.overwrite(Item(id: 1, number: 0))
        var values = database.values.live(Item.self, named: 1).makeAsyncIterator()
        var pages = database.values.query(Item.self).live().makeAsyncIterator()
        _ = (try await values.nextValue(), try await pages.nextValue())
        for id in 10..<30 {
            try await database.values.overwrite(Item(id: id, number: 0))
            try await database.values.delete(Item.self, named: id, .dangling)
        }
        try await database.values.overwrite(Item(id: 1, number: 1))
        #expect(try await values.nextValue()??.number == 1)
        #expect(try await pages.nextValue()?.map(\.number) == [1])
    }
}
#endif

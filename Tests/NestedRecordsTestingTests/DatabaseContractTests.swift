import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsTesting

// One after the other: thousands of tests at the same time would delay those that wait for something.
@Suite(.serialized) struct DatabaseContractTests {
    @Test(arguments: RecordDatabaseContract.requirements, Sweep.some(3, of: [.max, 100, 7, 4, 3, 2, 1]))
    func inMemoryDatabaseMeets(_ requirement: RecordDatabaseRequirement, batchLimit: Int) async throws {
        try await requirement.check(
            InMemoryRecordDatabase(batchLimit: batchLimit, maximumDeletionCount: 50), reopening: { $0 },
            forgettingDeletions: { try await $0.crowdOutDeletions() })
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func databaseWithoutAFeedMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(PlainDatabase())
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func databaseThatForwardsMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(Forwarding(base: InMemoryRecordDatabase()))
    }

    @Test func databaseThatForwardsAsksTheOtherOneForAllItCanDo() async throws {
        let sample = try Record(id: Record.ID("Sample/a"), fields: [:])
        var other = BrokenDatabase(
            limit: 7, answer: { _, _ in RecordPage(records: [], examinedCount: 8, matchCount: 9) })
        other.count = { _, _ in 10 }
        other.refer = { _, _ in
            [sample.id: [RecordReferrer(record: sample.id, path: "x", reference: Record.Reference(to: sample.id))]]
        }
        let database = Forwarding(base: other)
        #expect(database.batchLimit == 7 && database.feed != nil)
        #expect(try await database.page(RecordQuery("Sample")).examinedCount == 8)
        #expect(try await database.count(RecordQuery("Sample")) == 10)
        #expect(try await database.referrers(of: []).keys.first == sample.id)
    }

    @Test(arguments: RecordDatabaseContract.requirements, [Int.max, 4])
    func monitoredDatabaseMeets(_ requirement: RecordDatabaseRequirement, batchLimit: Int) async throws {
        let base = InMemoryRecordDatabase(batchLimit: batchLimit, maximumDeletionCount: 50)
        try await requirement.check(
            MonitoredRecordDatabase(base) { _ in }, forgettingDeletions: { try await $0.crowdOutDeletions() })
        try await requirement.check(MonitoredRecordDatabase(PlainDatabase()) { _ in })
    }

    @Test(arguments: RecordDatabaseContract.requirements, [(Int.max, 1_000), (4, 1_000), (.max, 4)])
    func cachedDatabaseMeets(
        _ requirement: RecordDatabaseRequirement, _ limits: (batch: Int, count: Int)
    ) async throws {
        let base = InMemoryRecordDatabase(batchLimit: limits.batch, maximumDeletionCount: 50)
        let cache = try CachedRecordDatabase(base, maximumCount: limits.count)
        try await waitUntil { cache.isFollowing }
        try await requirement.check(cache, forgettingDeletions: { try await $0.crowdOutDeletions() })
    }

    @Test(arguments: RecordDatabaseContract.requirements, [Int.max, 4])
    func queuedDatabaseMeets(_ requirement: RecordDatabaseRequirement, batchLimit: Int) async throws {
        let base = InMemoryRecordDatabase(batchLimit: batchLimit, maximumDeletionCount: 50)
        try await requirement.check(
            QueuedRecordDatabase(base, maximumRunning: 2), forgettingDeletions: { try await $0.crowdOutDeletions() })
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func databaseMeetsThroughTheProtocol(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(BrokenDatabase())
    }

    @Test(arguments: DatabaseFault.all)
    func requirementFindsOut(_ fault: DatabaseFault) async throws {
        let requirement = try #require(
            RecordDatabaseContract.requirements.first { $0.name == fault.requirement },
            "there is no requirement '\(fault.requirement)'")
        let violation = try await #require(throws: ContractViolation.self) {
            try await Patience.$clock.withValue(fault.clock) {
                try await requirement.check(
                    fault.makeDatabase(), reopening: { $0.reopen($0) },
                    forgettingDeletions: { try await $0.crowdOutDeletions() })
            }
        }
        #expect(violation.requirement == fault.requirement)
        #expect(violation.explanation.contains(fault.explanation))
        #expect(violation.description == "a database \(fault.requirement), but: \(violation.explanation)")
    }

    @Test func everyRequirementHasAFaultThatItFindsOut() {
        let names = RecordDatabaseContract.requirements.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names).subtracting(DatabaseFault.all.map(\.requirement)) == [])
    }

    @Test func errorsOfADatabaseAreViolations() async throws {
        let requirement = try #require(RecordDatabaseContract.requirements.first)
        let violation = try await #require(throws: ContractViolation.self) {
            try await requirement.check(BrokenDatabase(fetch: { _, _ in throw Malfunction() }))
        }
        #expect(violation.explanation == "the database threw an error: Malfunction()")
    }

    @Test func cancellationIsNotAViolation() async throws {
        for requirement in RecordDatabaseContract.requirements
        where requirement.neededCapabilities.isSubset(of: .all) {
            // With a limit, so that the requirements about limits call the database.
            var database = BrokenDatabase(
                limit: 4, fetch: { _, _ in throw CancellationError() }, modify: { _, _ in throw CancellationError() })
            database.storage = { CancelledAssets(base: $0) }
            await #expect(throws: CancellationError.self) { try await requirement.check(database) }
        }
    }
}

private struct CancelledAssets: ForwardingAssetStorage {
    let base: any AssetStorage

    func beginUpload() async throws -> String { throw CancellationError() }

    func append(_: Data, toUpload _: String, at _: Int64) async throws { throw CancellationError() }

    func collect(before _: Date) async throws -> AssetCollection { throw CancellationError() }
}

private struct Forwarding: ForwardingRecordDatabase {
    let base: any RecordDatabase
}

/// A database that does not say what has changed, and does not check referrers.
private struct PlainDatabase: RecordDatabase {
    private let base = InMemoryRecordDatabase()

    func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        return try await base.commit(batch)
    }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}

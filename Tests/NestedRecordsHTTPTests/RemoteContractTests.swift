import HTTPTestSupport
import NestedRecordsFile
import NestedRecordsHTTP
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecords

/// The contract of databases, by a client whose requests are answered in the same process.
@Suite(.serialized) struct RemoteContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func clientMeetsOverADatabaseInMemory(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(remote(InMemoryRecordDatabase()))
    }

    @Test(arguments: Sweep.some(10, of: RecordDatabaseContract.requirements))
    func clientMeetsOverARecordFile(_ requirement: RecordDatabaseRequirement) async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try await requirement.check(remote(database))
        try await database.close()
    }

    @Test(arguments: Sweep.some(10, of: RecordDatabaseContract.requirements))
    func clientMeetsOverADatabaseThatKeepsOutcomes(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(remote(FaultyRemoteDatabase()))
    }

    /// Feeds of scopes need declared audiences, and have tests of their own.
    @Test(arguments: Sweep.some(30, of: RecordDatabaseContract.requirements))
    func clientMeetsInAScopeWithoutAFeed(_ requirement: RecordDatabaseRequirement) async throws {
        // It compares cursors with those of the query without a rule.
        if requirement.name == "gives pages in order, of every size" { return }
        let scope = try RecordStore(InMemoryRecordDatabase()).scoped(for: "ann") {
            $0.ruleOfAllTypes(.not(.exists("isHidden")))
        }
        try await requirement.check(Unfollowed(base: remote(scope.database)))
    }

    private struct Unfollowed: ForwardingRecordDatabase {
        let base: any RecordDatabase
        var feed: (any RecordFeed)? { nil }
    }

    @Test(arguments: Sweep.some(30, of: RecordDatabaseContract.requirements))
    func clientThatRepeatsCallsMeetsInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) async throws {
        // The identifier of a batch is void after a lost request: the caller has to make another one.
        if requirement.neededCapabilities.contains(.outcomes) { return }
        // After a lost answer, the version of a record is unknown that another writer has saved since, or that has a timestamp
        // within a field; and pages have the batches that void others, which are of the library alone.
        let exceptions = [
            "fills in server timestamps with the modification date",
            "gives different tags to the versions of a hundred concurrent saves",
            "splits no batch between pages of changes",
            // A lost answer had the numbers.
            "collects what no record names, and nothing else",
        ]
        if exceptions.contains(requirement.name) { return }
        var faults = JoinedTransport.Faults()
        (faults.lostRequests, faults.lostAnswers, faults.cutAnswers) = (0.05, 0.1, 0.05)
        (faults.doubledRequests, faults.lateCopies) = (0.05, 0.05)
        let database = remote(InMemoryRecordDatabase(), faults: faults)
        try await requirement.check(
            RetriedRecordDatabase(database, RetryPolicy(attempts: 1_000, repeatsTransientErrors: true)))
    }

    private func remote(
        _ database: any RecordDatabase, faults: JoinedTransport.Faults = JoinedTransport.Faults()
    ) -> RemoteRecordDatabase {
        var options = RecordDatabaseService.Options()
        options.quota.requestsPerMinute = .max
        options.longestWait = .milliseconds(200)
        // Hundreds of tests run at the same time.
        options.readDeadline = .seconds(3_600)
        var expected = RemoteRecordDatabase.Options()
        expected.keepsAssets = database.assets != nil
        return RemoteRecordDatabase(
            JoinedTransport(RecordDatabaseService(of: database, options: options), faults: faults), options: expected)
    }
}

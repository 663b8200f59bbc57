import HTTPTestSupport
import NestedRecords
import NestedRecordsHTTP
import NestedRecordsTesting
import TestSupport
import Testing

/// The contract of databases, by a client of a service over each kind of database.
@Suite(.serialized) struct RemoteEngineTests {
    @Test(arguments: Sweep.some(20, of: RecordDatabaseContract.requirements))
    func clientMeetsOverEachDatabase(_ requirement: RecordDatabaseRequirement) async throws {
        try await Engine.forEach { engine in
            guard engine.processArguments != nil else { return }
            var options = RecordDatabaseService.Options()
            (options.quota.requestsPerMinute, options.longestWait) = (.max, .milliseconds(200))
            try await requirement.check(
                RemoteRecordDatabase(JoinedTransport(RecordDatabaseService(of: engine.database, options: options))))
        }
    }
}

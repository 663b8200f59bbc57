import HTTPTestSupport
import NestedRecords
import NestedRecordsFile
import NestedRecordsTesting
import TestSupport
import Testing

/// The contract of databases, by a client whose requests are answered in the same process.
@Suite(.serialized) struct RemoteContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func clientMeetsOverADatabaseInMemory(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(RemoteDatabases.client(of: InMemoryRecordDatabase()))
    }

    @Test(arguments: Sweep.some(10, of: RecordDatabaseContract.requirements))
    func clientMeetsOverARecordFile(_ requirement: RecordDatabaseRequirement) async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try await requirement.check(RemoteDatabases.client(of: database))
        try await database.close()
    }

    @Test(arguments: Sweep.some(10, of: RecordDatabaseContract.requirements))
    func clientMeetsOverADatabaseThatKeepsOutcomes(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(RemoteDatabases.client(of: FaultyRemoteDatabase()))
    }

    @Test(arguments: Sweep.some(30, of: RecordDatabaseContract.requirements))
    func clientMeetsInAScopeWithoutAFeed(_ requirement: RecordDatabaseRequirement) async throws {
        guard RemoteDatabases.isMetInAScope(requirement) else { return }
        try await requirement.check(RemoteDatabases.scopedClient(of: InMemoryRecordDatabase()))
    }

    @Test(arguments: Sweep.some(30, of: RecordDatabaseContract.requirements))
    func clientThatRepeatsCallsMeetsInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) async throws {
        guard RemoteDatabases.isMetInSpiteOfFaults(requirement) else { return }
        try await requirement.check(RemoteDatabases.repeatingClient(of: InMemoryRecordDatabase()))
    }
}

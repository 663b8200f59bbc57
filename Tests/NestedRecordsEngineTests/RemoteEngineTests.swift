import HTTPTestSupport
import NestedRecordsHTTP
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecords

/// The contract of databases, by a client of a service over each kind of database.
@Suite(.serialized) struct RemoteEngineTests {
    @Test(arguments: Sweep.some(20, of: RecordDatabaseContract.requirements))
    func clientMeetsOverEachDatabase(_ requirement: RecordDatabaseRequirement) async throws {
        try await Engine.forEach { engine in
            guard engine.processArguments != nil else { return }
            try await requirement.check(RemoteDatabases.client(of: engine.database))
        }
    }

    @Test(arguments: Sweep.some(10, of: RecordDatabaseContract.requirements))
    func clientMeetsInAScopeOfEachDatabase(_ requirement: RecordDatabaseRequirement) async throws {
        guard RemoteDatabases.isMetInAScope(requirement) else { return }
        try await Engine.forEach { engine in
            guard engine.processArguments != nil else { return }
            try await requirement.check(RemoteDatabases.scopedClient(of: engine.database))
        }
    }

    /// Also where the database keeps outcomes itself, which the scope does not show.
    @Test func serviceKeepsTheOutcomesOfAScope() async throws {
        let requirement = try #require(
            RecordDatabaseContract.requirements.first { $0.neededCapabilities.contains(.outcomes) })
        try await Engine.forEach { engine in
            guard engine.processArguments != nil else { return }
            try await requirement.check(RemoteDatabases.scopedClient(of: engine.database))
        }
    }

    @Test(arguments: Sweep.some(10, of: RecordDatabaseContract.requirements))
    func clientThatRepeatsCallsMeetsOverEachDatabaseInSpiteOfFaults(
        _ requirement: RecordDatabaseRequirement
    ) async throws {
        guard RemoteDatabases.isMetInSpiteOfFaults(requirement) else { return }
        try await Engine.forEach { engine in
            guard engine.processArguments != nil else { return }
            try await requirement.check(RemoteDatabases.repeatingClient(of: engine.database))
        }
    }
}

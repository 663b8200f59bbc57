#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The contract of databases, over the web services of the servers with the documented rules.
@Suite(.serialized) struct WebServicesContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func webServicesMeet(_ requirement: RecordDatabaseRequirement) async throws {
        let database = try StandInCloud().webDatabase()
        try await database.prepare()
        try await requirement.check(database)
    }

    /// Those of the port, the same 132.
    @Test func webServicesLackWhatTheModuleOfAppleLacks() async throws {
        let skipped = RecordDatabaseContract.skipped(for: try StandInCloud().webDatabase()).map(\.name)
        #expect(skipped == RecordDatabaseContract.skipped(for: try await database(StandInCloud())).map(\.name))
    }

    @Test(arguments: Sweep.some(50, of: RecordDatabaseContract.requirements))
    func publicDatabaseMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(try publicDatabase())
    }

    @Test func publicDatabaseLacksBatches() throws {
        let skipped = RecordDatabaseContract.skipped(for: try publicDatabase())
        #expect(RecordDatabaseContract.requirements.count - skipped.count == 99)
    }

    @Test(arguments: Sweep.some(40, of: RecordDatabaseContract.requirements))
    func webServicesMeetInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) async throws {
        if CloudKitContractTests.notWithFaults.contains(requirement.name) { return }
        let cloud = StandInCloud()
        let faults = RandomFaults(seed: Sweep.seed &+ 3)
        let database = try cloud.webDatabase()
        try await database.prepare()
        cloud.fault = { call in
            let fault = faults.fault(of: call)
            // The deletion of a version leaves no mark: after a lost answer its outcome is unknown.
            if case .losesAnswer = fault, !call.deleting.isEmpty { return nil }
            return fault
        }
        try await requirement.check(
            RetriedRecordDatabase(database, RetryPolicy(attempts: 1_000, repeatsTransientErrors: true)))
    }

    private func publicDatabase() throws -> CloudKitRecordDatabase {
        let cloud = StandInCloud()
        cloud.web.verify = { _, _, _ in true }
        cloud.web.sha256 = { Data(WebServicesTests.hash($0)) }
        var options = CloudKitRecordDatabase.Options.quick
        options.types = ["Sample", "Other", "NestedRecords.Example", "Module.Type_9"]
        return try cloud.webDatabase(.serverKey(id: "key") { $0 }, options: options)
    }
}
#endif

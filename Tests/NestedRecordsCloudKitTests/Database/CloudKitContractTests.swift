// On a Mac, CloudKit is Apple's.
#if canImport(CloudKit) && os(Linux)
import CloudKit
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The contract of databases, on servers with the documented rules of CloudKit.
@Suite(.serialized) struct CloudKitContractTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func cloudKitMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await requirement.check(await database(StandInCloud()))
    }
}

extension CloudKitRecordDatabase.Options {
    static var quick: Self {
        var options = Self()
        options.pauses = .milliseconds(1) ... .milliseconds(20)
        return options
    }
}

/// A database in a new zone.
func database(
    _ cloud: StandInCloud, user: String = "ann", options: CloudKitRecordDatabase.Options = .quick
) async throws -> CloudKitRecordDatabase {
    let database = CloudKitRecordDatabase(cloud.container(user: user), options: options)
    try await database.prepare()
    return database
}
#endif

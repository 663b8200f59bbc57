import Foundation
import NestedRecordsHTTP
import NestedRecordsTesting
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The contract of databases in the development environment of a container on Apple's servers, for the container's owner.
///
/// `CLOUDKIT_CONTAINER` is its ID, `CLOUDKIT_API_TOKEN` a token of it, and `CLOUDKIT_WEB_TOKEN_FILE` the path of a file with
/// the web token of a user, which is replaced there. Each requirement has a zone of its own, which is deleted afterwards.
@Suite(.serialized, .enabled(if: Container.id != nil, "CLOUDKIT_CONTAINER has the ID of a container"))
struct ContainerTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func containerMeets(_ requirement: RecordDatabaseRequirement) async throws {
        let environment = ProcessInfo.processInfo.environment
        let container = try #require(Container.id)
        let token = try #require(environment["CLOUDKIT_API_TOKEN"])
        let file = URL(fileURLWithPath: try #require(environment["CLOUDKIT_WEB_TOKEN_FILE"]))
        let scalars = String(decoding: try Data(contentsOf: file), as: UTF8.self).unicodeScalars
        let webToken = String(String.UnicodeScalarView(scalars.filter { !$0.properties.isWhitespace }))
        var options = CloudKitRecordDatabase.Options()
        options.zone = "Test-\(UUID().uuidString)"
        options.untyped = ["Sample.a", "Sample.b", "Sample.place"]
        let access = CloudKitAccess.user(apiToken: token, webAuthToken: webToken) { next in
            try? Data(next.utf8).write(to: file, options: .atomic)
        }
        let database = try CloudKitRecordDatabase(
            container: container, environment: .development, access: access, options: options)
        try await database.prepare()
        let failure: (any Error)?
        do {
            try await requirement.check(database)
            failure = nil
        } catch {
            failure = error
        }
        let port = try #require(database.port as? WebServicesPort)
        try await port.deleteZone()
        if let failure { throw failure }
    }
}

private enum Container {
    static let id = ProcessInfo.processInfo.environment["CLOUDKIT_CONTAINER"]
}

extension WebServicesPort {
    fileprivate func deleteZone() async throws {
        let zone = JSONValue.object(["zoneID": .object(["zoneName": zone.map { .text($0) }])])
        let operation = JSONValue.object(["operationType": "delete".json, "zone": zone])
        _ = try await exchange.send("zones/modify", .object(["operations": .list([operation])]), isWrite: true)
    }
}

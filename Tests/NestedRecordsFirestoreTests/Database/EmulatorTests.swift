#if canImport(Glibc)
import Foundation
import NestedRecordsFirestore
import NestedRecordsTesting
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords

/// The contract of databases on Google's emulator, whose host is in `FIRESTORE_EMULATOR_HOST`.
@Suite(.serialized) struct EmulatorTests {
    private static let host = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"]

    /// A database below a document of its own, so that each is empty.
    private static func database(
        at host: String, _ options: FirestoreRecordDatabase.Options = FirestoreRecordDatabase.Options()
    ) throws -> FirestoreRecordDatabase {
        var options = options
        options.path = "suites/\(UUID().uuidString)"
        return try FirestoreRecordDatabase(project: "test", access: .emulator(host: host), options: options)
    }

    @Test(
        .enabled(if: host != nil, "FIRESTORE_EMULATOR_HOST has the host and port of an emulator"),
        arguments: RecordDatabaseContract.requirements)
    func emulatorMeets(_ requirement: RecordDatabaseRequirement) async throws {
        let host = try #require(Self.host)
        try await requirement.check(Self.database(at: host))
        try await requirement.check(Self.database(at: host, .withJournal))
    }

    /// The databases of the test above, which seldom has an emulator.
    @Test func databasesOfOneServerAreEmptyAtFirst() async throws {
        let server = StandInServer()
        let socket = try SocketServer { await server.respond(to: $0) }
        defer { socket.close() }
        for requirement in Sweep.some(5, of: RecordDatabaseContract.requirements) {
            try await requirement.check(Self.database(at: socket.host))
            try await requirement.check(Self.database(at: socket.host, .withJournal))
        }
    }
}
#endif

#if canImport(Glibc)
import Foundation
import NestedRecordsHTTP
import NestedRecordsTesting
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import NestedRecordsFirestore

/// The database with its own transport, over a socket.
@Suite(.serialized) struct LoopbackTests {
    private struct Pupil: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
    }

    private struct School: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var founded: Date
        var pupils: [Pupil]
    }

    private static let school = School(
        id: "hill", founded: Date(timeIntervalSinceReferenceDate: 123_456.123_456_7),
        pupils: (0..<300).map { Pupil(id: "é \($0)", name: "Ann") })

    /// Calls a closure with a server, and the database on it.
    private func withServer(
        _ access: (_ host: String) throws -> FirestoreAccess = { try .emulator(host: $0) }, below path: String = "",
        _ body: (StandInServer, SocketServer, FirestoreRecordDatabase) async throws -> Void
    ) async throws {
        let server = StandInServer()
        let socket = try SocketServer { await server.respond(to: $0) }
        defer { socket.close() }
        var options = FirestoreRecordDatabase.Options()
        options.path = path
        // Thousands of tests run at the same time: the time is no part of these.
        options.deadline = .seconds(3_600)
        let database = try FirestoreRecordDatabase(project: "test", access: access(socket.host), options: options)
        try await body(server, socket, database)
    }

    @Test(arguments: Sweep.some(12, of: RecordDatabaseContract.requirements))
    func firestoreOverASocketMeets(_ requirement: RecordDatabaseRequirement) async throws {
        try await withServer { _, _, database in try await requirement.check(database) }
    }

    @Test(arguments: ["", "users/ann", "users/é 50%25+?#&:=/rooms/1:commit"])
    func graphComesBack(below path: String) async throws {
        try await withServer(below: path) { server, _, database in
            let store = RecordStore(database)
            try await store.insert(Self.school)
            let prefix = path.isEmpty ? "" : path + "/"
            #expect(server.fields("\(prefix)School/hill")?["founded"]?["timestampValue"] != nil)
            #expect(try await store.fetch(School.self, named: "hill").value == Self.school)
            let found = try await store.query(Pupil.self).filter { $0.name == "Ann" }.all()
            #expect(found.count == 300)
        }
    }

    @Test func statusOfAnAnswerIsTheError() async throws {
        try await withServer { server, socket, database in
            let store = RecordStore(database)
            try await store.insert(Self.school.pupils[0])
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await store.insert(Self.school.pupils[0])
            }
            #expect(error?.code == .conflict && error?.serverRecord?["name"] == "Ann")
            let other = try FirestoreRecordDatabase(project: "other", access: .emulator(host: socket.host))
            let id = try Record.ID(type: "Pupil", name: "a")
            #expect(await databaseErrorCode { _ = try await other.records(for: [id]) } == .refused)
            for (fault, code) in [
                (SocketServer.Fault.closes, RecordDatabaseError.Code.connectionLost), (.cuts, .connectionLost),
                (.redirects, .refused),
            ] {
                socket.fault.withLock { $0 = fault }
                #expect(await databaseErrorCode { _ = try await database.records(for: [id]) } == code)
            }
        }
    }

    @Test func requestWithARefusedTokenIsSentWithAnother() async throws {
        let server = StandInServer()
        let socket = try SocketServer { await server.respond(to: $0) }
        defer { socket.close() }
        let url = try #require(URL(string: "http://\(socket.host)"))
        let database = try FirestoreRecordDatabase(
            project: "test", access: .token { $0 == nil ? "old" : "owner" }, transport: URLSessionTransport(url))
        try await RecordStore(database).insert(Self.school.pupils[0])
        #expect(server.fields("Pupil/é 0") != nil && server.counts.withLock { $0["commit"] } == 2)
    }
}
#endif

#if PostgreSQL
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// Connections that are slow, cut or read-only, and how often they are used.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLConnectionTests {
    private func record(_ name: String) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: ["a": 1])
    }

    #if canImport(Glibc)
    @Test func connectionsToServersThatVanishAreGivenUpByTheSystem() async throws {
        let session = try Session(PostgreSQLRecordDatabase(connection: TestServer.connection).parameters)
        func option(_ level: Int32, _ name: Int32) -> Int32 {
            var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(session.socket, level, name, &value, &size)
            return value
        }
        let protocolNumber = Int32(IPPROTO_TCP)
        try #require(option(SOL_SOCKET, SO_DOMAIN) != AF_UNIX)
        #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(
            [TCP_USER_TIMEOUT, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { option(protocolNumber, $0) }
                == [60_000, 30, 10, 3])
    }
    #endif

    @Test(TestServer.isOneServer) func statementsThatTakeTooLongAreGivenUp() async throws {
        try await withDatabase { base in
            try await base.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            var server = try #require(URLComponents(string: TestServer.connection))
            server.queryItems = [URLQueryItem(name: "options", value: "-c statement_timeout=500")]
            let database = try PostgreSQLRecordDatabase(
                connection: try #require(server.string), options: base.options)
            // A busy machine may take that long for anything.
            let saved = RecordBatch(saving: [try record("a")], savePolicy: .overwrite)
            try await waitUntil { (try? await database.commit(saved)) != nil }
            try await holdingRow(of: database) {
                let failure = await expectFailure(.refused) {
                    try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
                }
                #expect(failure?.systemCode == "57014" && failure?.operation == "save" && failure?.isTransient == true)
            }
            try await waitUntil { (try? await database.commit(saved)) != nil }
            await database.close()
        }
    }

    @Test(TestServer.isOneServer) func cancelledTasksEndAtOnceAndSaveNothing() async throws {
        try await withDatabase {
            $0.poolSize = 2
        } _: { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            let version = try await database.records(for: [try record("a").id])
            try await holdingRow(of: database) {
                let saving = (0..<5).map { _ in
                    Task { try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite)) }
                }
                // Two are with the server, the others wait for a connection.
                try await waitUntil { try await database.waitingCount() == 2 }
                for task in saving { task.cancel() }
                for task in saving {
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
            #expect(try await database.records(for: [try record("a").id]) == version)
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
        }
    }

    @Test func serversThatAreReadOnlyAreRead() async throws {
        try await withDatabase { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            let separator = TestServer.connection.contains("?") ? "&" : "?"
            let reader = try PostgreSQLRecordDatabase(
                connection: TestServer.connection + separator + "options=-c%20default_transaction_read_only%3Don",
                options: database.options)
            #expect(try await reader.allRecords().count == 1)
            #expect(try await reader.page(RecordQuery("Book")).records.count == 1)
            _ = try await reader.changeToken()
            let failure = await expectFailure(.refused) {
                try await reader.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            }
            #expect(failure?.systemCode == "25006" && failure?.isTransient == false)
            await reader.close()
        }
    }

    @Test(arguments: [4, Int.max])
    func connectionsThatWereCutWhileTheyRestedAreReplaced(_ poolSize: Int) async throws {
        try await withDatabase {
            $0.poolSize = poolSize
        } _: { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await database.commit(
                            RecordBatch(saving: [try record("\(number)")], savePolicy: .overwrite))
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<3 {
                try await database.cutConnections()
                // Nothing was sent over them, so that it is not noticed.
                try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
                try await database.cutConnections()
                #expect(try await database.records(for: [try record("a").id]).count == 1)
            }
        }
    }

    #if canImport(Glibc)
    @Test func aFetchAndASaveAreOneRoundTripEach() async throws {
        try await withDatabase { database in
            let records = try (0..<50).map { try record("\($0)") }
            // With one connection: otherwise the fetch may open another one while the announcement is under way.
            try await withRelay(to: database) { client, relay in
                _ = try await client.knownCatalog()
                var former = relay.requestCount.withLock { $0 }
                try await client.commit(
                    RecordBatch(saving: records, deletingAnyVersionOf: [try record("gone").id], savePolicy: .overwrite))
                // The announcement comes after it.
                try await waitUntil { relay.requestCount.withLock { $0 } > former + 1 }
                #expect(relay.requestCount.withLock { $0 } == former + 2)
                former = relay.requestCount.withLock { $0 }
                #expect(try await client.records(for: records.map(\.id)).count == 50)
                #expect(relay.requestCount.withLock { $0 } == former + 1)
            }
        }
    }

    private struct Node: RecordCodable, Identifiable, Equatable {
        var id: String
        var children: [Node]

        /// A tree of some levels, in which each node has three children.
        init(_ id: String, levels: Int) {
            self.id = id
            children = levels == 1 ? [] : (0..<3).map { Node("\(id)\($0)", levels: levels - 1) }
        }
    }

    @Test func aValueOfFiveLevelsTakesFiveRoundTrips() async throws {
        try await withDatabase { database in
            let tree = Node("r", levels: 5)
            try await database.values.overwrite(tree)
            try await withRelay(to: database) { client, relay in
                // The connection and what there is to know of the tables.
                _ = try await client.knownCatalog()
                let former = relay.requestCount.withLock { $0 }
                #expect(try await client.values.fetch(Node.self, named: "r").value == tree)
                #expect(relay.requestCount.withLock { $0 } == former + 5)
            }
        }
    }
    #endif

    /// Calls the closure while another connection keeps others from changing all rows.
    private func holdingRow(of database: PostgreSQLRecordDatabase, _ body: () async throws -> Void) async throws {
        let holder = PostgreSQLConnection()
        try await holder.open(ConnectionParameters(TestServer.connection), [])
        let lock = Statement("test", "SELECT FROM \(database.tables.records) FOR UPDATE")
        _ = try await holder.execute([Statement("test", "BEGIN"), lock], CancelSwitch())
        try await body()
        _ = try await holder.execute([Statement("test", "COMMIT")], CancelSwitch())
    }
}
#endif

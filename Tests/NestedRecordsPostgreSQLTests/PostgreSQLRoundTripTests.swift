#if PostgreSQL && canImport(Glibc)
import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// How often a nested value goes to the server and back.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(3)))
struct PostgreSQLRoundTripTests {
    private struct Node: RecordCodable, Identifiable, Equatable {
        var id: String
        var children: [Node]

        /// A tree of some levels, in which each node has three children.
        init(_ id: String, levels: Int) {
            self.id = id
            children = levels == 1 ? [] : (0..<3).map { Node("\(id)\($0)", levels: levels - 1) }
        }
    }

    /// Calls the closure with a database that is reached through a relay, in which a tree of five levels is saved.
    private func withTree(_ body: (PostgreSQLRecordDatabase, Relay, Node) async throws -> Void) async throws {
        try await withDatabase { database in
            let tree = Node("r", levels: 5)
            try await database.values.overwrite(tree)
            let server = try #require(URLComponents(string: TestServer.connection))
            let relay = try Relay(to: UInt16(try #require(server.port)))
            defer { relay.close() }
            var options = database.options
            options.poolSize = 1
            let client = try PostgreSQLRecordDatabase(
                connection: try TestServer.connection { $0.port = Int(relay.port) }, options: options)
            // The connection and what there is to know of the tables.
            _ = try await client.knownCatalog()
            try await body(client, relay, tree)
            await client.close()
        }
    }

    @Test func aValueOfFiveLevelsTakesFiveRoundTrips() async throws {
        try await withTree { database, relay, tree in
            let former = relay.requestCount.withLock { $0 }
            let loaded = try await database.values.fetch(Node.self, named: "r").value
            #expect(loaded == tree)
            #expect(relay.requestCount.withLock { $0 } == former + 5)
        }
    }
}
#endif

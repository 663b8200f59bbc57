#if PostgreSQL
import CPostgreSQL
import Foundation
import NestedRecords
import Testing

@testable import NestedRecordsPostgreSQL

/// The server that the tests run on.
enum TestServer {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether the tests run on a cluster.
    static let isCluster = environment["NESTED_RECORDS_CITUS"] != nil

    /// How the tests distribute records.
    static let distribution: PostgreSQLRecordDatabase.Distribution? = isCluster ? .citus(shardCount: 4) : nil

    /// The connection string; empty if there is no server.
    static let connection = environment["NESTED_RECORDS_CITUS"] ?? environment["NESTED_RECORDS_POSTGRESQL"] ?? ""

    /// For tests whose own statements or plans a cluster does not support.
    static var isOneServer: ConditionTrait { .enabled(if: !isCluster, "the test needs one server") }

    /// The connection strings of the workers of the cluster.
    static let workers = (environment["NESTED_RECORDS_CITUS_WORKERS"] ?? "").components(separatedBy: " ")
        .compactMap { worker in
            var components = URLComponents(string: connection)
            let parts = worker.components(separatedBy: ":")
            components?.host = parts.first
            components?.port = parts.last.flatMap { Int($0) }
            return components?.string
        }

    static let isThere = !connection.isEmpty

    static let reason: Comment =
        "there is no server: run the tests with Scripts/with-postgresql, or set NESTED_RECORDS_POSTGRESQL to a URI"

    /// The connection string with another part.
    static func connection(_ change: (inout URLComponents) -> Void) throws -> String {
        var components = try #require(URLComponents(string: connection))
        change(&components)
        return try #require(components.string)
    }
}

extension PostgreSQLRecordDatabase.Options {
    /// Options for a schema that no other test uses.
    static func ofOwnSchema(_ change: (inout Self) -> Void = { _ in }) -> Self {
        var options = Self()
        options.schema = "t " + UUID().uuidString
        change(&options)
        return options
    }
}

/// Calls the closure with an empty, prepared database in a schema of its own, which is dropped then; on a cluster the
/// records are distributed.
func withDatabase<Result>(
    isolation: isolated (any Actor)? = #isolation, connection: String = TestServer.connection,
    distribution: PostgreSQLRecordDatabase.Distribution? = TestServer.distribution,
    _ change: (inout PostgreSQLRecordDatabase.Options) -> Void = { _ in },
    _ body: (PostgreSQLRecordDatabase) async throws -> Result
) async throws -> Result {
    await TestPlaces.shared.enter()
    defer { Task { await TestPlaces.shared.leave() } }
    let database = try PostgreSQLRecordDatabase(connection: connection, options: .ofOwnSchema(change))
    let result: Result
    do {
        if let distribution, connection == TestServer.connection {
            try await database.prepare(distribution: distribution)
        } else {
            try await database.prepare()
        }
        result = try await body(database)
    } catch {
        await database.dropSchema()
        throw error
    }
    await database.dropSchema()
    return result
}

extension PostgreSQLRecordDatabase {
    /// Executes a statement of a test.
    @discardableResult
    func sql(_ text: String, _ parameters: Parameter...) async throws -> Answer {
        try #require(
            try await pool.execute([Statement("test", text, parameters)], isRepeatable: false).first)
    }

    fileprivate func dropSchema() async {
        _ = try? await sql("DROP SCHEMA \(options.schema.asIdentifier) CASCADE")
        await close()
    }

    /// How many statements over the tables of this database wait for a lock.
    func waitingCount() async throws -> Int64 {
        let watcher = try another()
        let rows = try await watcher.sql(
            """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid <> pg_backend_pid() \
            AND position($1 IN query) > 0
            """, .text(options.schema))
        await watcher.close()
        return rows.integer(0, 0) ?? 0
    }

    /// Ends the connections that have used the tables of this database last.
    func cutConnections(but own: PostgreSQLRecordDatabase? = nil) async throws {
        let watcher = try own ?? another()
        try await watcher.sql(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
            AND position($1 IN query) > 0
            """, .text(options.schema))
        if own == nil { await watcher.close() }
    }

    /// Another database over the same tables.
    func another(_ change: (inout Options) -> Void = { _ in }) throws -> PostgreSQLRecordDatabase {
        var options = options
        change(&options)
        return try PostgreSQLRecordDatabase(connection: TestServer.connection, options: options)
    }
}

/// Lets so many tests use the server at once as it has connections for.
private actor TestPlaces {
    static let shared = TestPlaces()

    private var freeCount = 12
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if freeCount > 0 {
            freeCount -= 1
        } else {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    func leave() {
        if waiters.isEmpty { freeCount += 1 } else { waiters.removeFirst().resume() }
    }
}

/// Expects an error with a code, and returns it.
@discardableResult
func expectFailure(
    _ code: RecordDatabaseError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async -> RecordDatabaseError? {
    do {
        try await body()
        Issue.record("there was no error", sourceLocation: sourceLocation)
    } catch let failure as RecordDatabaseError {
        #expect(failure.code == code, "\(failure)", sourceLocation: sourceLocation)
        return failure
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
    return nil
}
#endif

#if PostgreSQL
import NestedRecords
import Testing

@testable import NestedRecordsPostgreSQL

/// Statements that the server keeps for a connection.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLKeptStatementTests {
    private func withPool(_ body: (ConnectionPool) async throws -> Void) async throws {
        let pool = ConnectionPool(try ConnectionParameters(TestServer.connection), [], size: 1)
        defer { pool.close() }
        try await body(pool)
    }

    private func keptCount(_ pool: ConnectionPool) async throws -> Int64? {
        let count = Statement("test", "SELECT count(*) FROM pg_prepared_statements")
        return try await pool.execute([count], isRepeatable: false)[0].integer(0, 0)
    }

    @Test func aStatementIsKeptOnce() async throws {
        try await withPool { pool in
            let queries = ["SELECT $1::bigint", "SELECT $1::bigint + 1"]
            let statements = (0..<6).map {
                Statement("test", queries[$0 % 2], [.integer(Int64($0))], isKept: $0 < 5)
            }
            for _ in 0..<2 {
                let answers = try await pool.execute(statements, isRepeatable: false)
                #expect(answers.map { $0.integer(0, 0) } == [0, 2, 2, 4, 4, 6])
            }
            #expect(try await keptCount(pool) == 2)
        }
    }

    @Test func aRefusalDoesNotMatter() async throws {
        try await withPool { pool in
            func execute(_ queries: String...) async throws -> [Int64?] {
                try await pool.execute(queries.map { Statement("test", $0, isKept: true) }, isRepeatable: false)
                    .map { $0.integer(0, 0) }
            }
            for _ in 0..<2 {
                await expectFailure(.refused) { _ = try await execute("SELECT 1", "SELECT 1 / 0", "SELECT 2") }
                await expectFailure(.refused) { _ = try await execute("SELECT 3", "SELECT 4 WHERE", "SELECT 5") }
            }
            let numbers = try await execute("SELECT 1", "SELECT 2", "SELECT 3", "SELECT 5")
            #expect(numbers == [1, 2, 3, 5])
        }
    }

    @Test func theServerKeepsNoMoreThanAHundred() async throws {
        try await withPool { pool in
            for _ in 0..<2 {
                for number in 0..<150 {
                    let statement = Statement("test", "SELECT \(number)", isKept: true)
                    let answers = try await pool.execute([statement], isRepeatable: false)
                    #expect(answers.map { $0.integer(0, 0) } == [Int64(number)])
                }
            }
            #expect(try await keptCount(pool) == 100)
        }
    }
}
#endif

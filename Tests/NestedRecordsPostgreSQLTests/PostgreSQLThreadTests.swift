#if PostgreSQL && canImport(Glibc)
import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// Calls that have to wait, which keep no thread of Swift's pool.
@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLThreadTests {
    @Test func cancellingAtAServerThatDoesNotAnswerKeepsNoThread() async throws {
        try await withDatabase { database in
            try await withRelay(to: database, poolSize: heldCallCount) { client, relay in
                let label = UUID().uuidString
                let calls = (0..<heldCallCount).map { _ in
                    Task { try await client.sql("SELECT pg_sleep(600), $1", .text(label)) }
                }
                try await withDatabase { database in
                    try await waitUntil {
                        let answer = try await database.sql(
                            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%'")
                        return try #require(answer.integer(0, 0)) >= calls.count
                    }
                }
                relay.holdConnections()
                let isFree = try await tasksRun {
                    relay.releaseConnections()
                } isHeld: {
                    relay.heldCount.withLock { $0 == calls.count }
                } during: { number in
                    calls[number].cancel()
                    _ = await calls[number].result
                }
                #expect(isFree)
            }
        }
    }
}
#endif

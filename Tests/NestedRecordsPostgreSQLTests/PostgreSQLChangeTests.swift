#if PostgreSQL
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLChangeTests {
    private func record(_ name: String, _ value: Int64 = 1) throws -> Record {
        try Record(id: Record.ID(type: "Book", name: name), fields: ["a": .int(value)])
    }

    /// Reads until a record has come, and what came before it.
    private func changes(
        of database: PostgreSQLRecordDatabase, since token: inout ChangeToken, limit: Int = 100, until name: String
    ) async throws -> [RecordChanges] {
        var pages: [RecordChanges] = []
        try await waitUntil {
            let changes = try await database.changes(since: token, limit: limit)
            token = changes.token
            if !changes.isEmpty { pages.append(changes) }
            return changes.isComplete && pages.contains { $0.saved.contains { $0.id.name == name } }
        }
        return pages
    }

    @Test func aSlowTransactionBesideAFastOneIsNotLost() async throws {
        try await withDatabase { database in
            var token = try await database.changeToken()
            let slow = try record("slow")
            let fast = try record("fast")
            // Another connection holds a transaction that has written, and has not ended.
            let holder = PostgreSQLConnection()
            try await holder.open(ConnectionParameters(TestServer.connection), [])
            let catalog = try await database.knownCatalog()
            var rows = BatchRows(catalog, writesFields: true)
            let metadata = Record.Metadata(changeTag: "slow", creationDate: Date(), modificationDate: Date())
            try rows.add(slow, metadata, expected: .missing)
            let statements = database.tables.commit(rows, token: 1, isSystem: false, catalog)
            _ = try await holder.execute([Statement("test", "BEGIN")] + statements, CancelSwitch())
            try await database.commit(RecordBatch(saving: [fast], savePolicy: .overwrite))
            #expect(try await database.records(for: [fast.id]).count == 1)
            for _ in 0..<3 {
                let changes = try await database.changes(since: token, limit: 10)
                #expect(changes.saved.isEmpty, "the fast one is after the slow one")
                #expect(!changes.isComplete)
                token = changes.token
                token = try #require(ChangeToken(token.description))
            }
            let other = try await database.changeToken()
            _ = try await holder.execute([Statement("test", "COMMIT")], CancelSwitch())
            for start in [token, other] {
                var start = start
                let pages = try await changes(of: database, since: &start, until: "fast")
                #expect(Set(pages.flatMap(\.saved).map(\.id)) == [slow.id, fast.id])
            }
        }
    }

    @Test(arguments: [Duration.seconds(600), .seconds(Int64.max)])
    func waitingEndsWithASaveOfAnotherProcess(_ interval: Duration) async throws {
        try await withDatabase {
            // Only the announcement is as fast as the test.
            $0.pollInterval = interval
        } _: { database in
            let token = try await database.changeToken()
            let other = try database.another()
            let waiting = Task { try await database.waitForChanges(after: token) }
            // A save before the listener is there is found when it begins.
            try await other.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            try await waiting.value
            try await waitUntil { try await database.changes(since: token, limit: 1).saved.count == 1 }
            let next = try await database.changes(since: token, limit: 1).token
            let again = Task { try await database.waitForChanges(after: next) }
            try await other.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            try await again.value
            await other.close()
        }
    }

    @Test func waitingEndsWithoutAnnouncementsToo() async throws {
        try await withDatabase {
            $0.pollInterval = .milliseconds(50)
        } _: { database in
            let token = try await database.changeToken()
            let waiting = Task { try await database.waitForChanges(after: token) }
            // Nothing announces a batch that did not come over a database of this library.
            try await database.sql(
                "INSERT INTO \(database.tables.commits) (token, xid) VALUES (7, pg_current_xact_id())")
            try await waiting.value
        }
    }

    @Test func listeningBeginsAgainWhenItsConnectionIsCut() async throws {
        try await withDatabase {
            $0.pollInterval = .milliseconds(100)
        } _: { database in
            let token = try await database.changeToken()
            let waiting = Task { try await database.waitForChanges(after: token) }
            var former: Int64 = 0
            for _ in 0..<3 {
                try await waitUntil {
                    let listener = try await database.sql(
                        """
                        SELECT pid FROM pg_stat_activity
                        WHERE query LIKE 'LISTEN%' AND position($1 IN query) > 0 AND pid <> $2
                        """, .text(database.options.schema), .integer(former))
                    guard let number = listener.integer(0, 0) else { return false }
                    former = number
                    return true
                }
                try await database.sql("SELECT pg_terminate_backend($1::integer, 5000)", .integer(former))
            }
            try await waitUntil { database.bell.isListening }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func waitingObeysCancellation() async throws {
        try await withDatabase {
            $0.pollInterval = .seconds(600)
        } _: { database in
            let token = try await database.changeToken()
            let waiting = Task { try await database.waitForChanges(after: token) }
            try await waitUntil { database.bell.isListening }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    // MARK: Refused tokens

    @Test func tokensOfForgottenTimesAreRefused() async throws {
        try await withDatabase { database in
            let first = try await database.changeToken()
            for name in ["a", "b"] {
                try await database.commit(RecordBatch(saving: [try record(name)], savePolicy: .overwrite))
            }
            try await database.commit(RecordBatch(deletingAnyVersionOf: [try record("a").id]))
            try await waitUntil { try await database.changes(since: first, limit: 100).deleted.count == 1 }
            let last = try await database.changeToken()
            // Something of before stays on the server until no transaction can need it.
            try await waitUntil {
                try await database.purgeHistory(olderThan: .zero)
                return try await database.sql("SELECT 1 FROM \(database.tables.records) WHERE body IS NULL").count
                    == 0
            }
            await expectExpiry(.purged) { _ = try await database.changes(since: first, limit: 1) }
            let changes = try await database.changes(since: last, limit: 1)
            #expect(changes.isEmpty && changes.isComplete && changes.token == last)
            #expect(try await database.allIDs() == [try record("b").id])
        }
    }

    @Test func tokensOfAStateThatWasGoneBackFromAreRefused() async throws {
        try await withDatabase { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            try await waitUntil { try await database.changeToken().position > 0 }
            let before = try await database.changeToken()
            try await database.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            try await waitUntil { try await database.changeToken() != before }
            let after = try await database.changeToken()
            // As a server does that is restored to a moment before the second batch, and goes on from there.
            try await database.sql(
                "DELETE FROM \(database.tables.commits) WHERE xid = $1", .transaction(after.position))
            await expectExpiry(.wentBack) { _ = try await database.changes(since: after, limit: 1) }
            _ = try await database.changes(since: before, limit: 1)
        }
    }

    @Test func tablesOfAnotherServerAreAdoptedOnce() async throws {
        try await withDatabase { database in
            try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            try await waitUntil { try await database.changeToken().position > 0 }
            let token = try await database.changeToken()
            // As a dump that was restored on this server: its transactions are later than all of this one.
            try await database.sql("UPDATE \(database.tables.store) SET server = 'another'")
            try await database.sql("UPDATE \(database.tables.records) SET xid = '99999999999'")
            await expectFailure(.notPrepared) {
                _ = try await database.changes(since: token, limit: 1)
            }
            let fresh = try database.another()
            await expectFailure(.notPrepared) {
                try await fresh.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            }
            try await fresh.prepare()
            await expectExpiry(.otherStore) { _ = try await fresh.changes(since: token, limit: 1) }
            var start = ChangeToken(store: try await fresh.changeToken().store, position: 0)
            let pages = try await changes(of: fresh, since: &start, until: "a")
            #expect(pages.flatMap(\.saved).count == 1)
            // The first database learns of it with its next save.
            try await database.commit(RecordBatch(saving: [try record("b")], savePolicy: .overwrite))
            try await fresh.prepare()
            #expect(try await fresh.changeToken().store == start.store)
            await fresh.close()
        }
    }

    private func expectExpiry(_ expiry: ChangeToken.Expiry, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("the token was taken")
        } catch let refusal as RecordDatabaseError {
            #expect(refusal.expiry == expiry)
        } catch {
            Issue.record(error)
        }
    }
}
#endif

import Foundation
import NestedRecords
import TestSupport
import Testing

/// Feeds of all databases, apart from what their contract says.
@Suite(.serialized) struct EngineFeedTests {
    @Test func tokensOfAnotherDatabaseAreRefused() async throws {
        let folder = try TemporaryFolder()
        let others = try await Engine.all(in: folder, indexes: [], now: { .distantPast })
        var number = 0
        try await Engine.forEach { engine in
            let (database, other) = (engine.database, others[number].database)
            try await other.commit(RecordBatch(saving: [try Flat.record("A/1")]))
            let token = try await other.changeToken()
            for call in [
                { _ = try await database.changes(since: token, limit: 1) },
                { try await database.waitForChanges(after: token) },
            ] as [() async throws -> Void] {
                let failure = await #expect(throws: RecordDatabaseError.self, "\(engine.name)") { try await call() }
                #expect(failure?.expiry == .otherStore, "\(engine.name)")
            }
            number += 1
        }
        for other in others { try await other.end() }
    }

    @Test(.timeLimit(.minutes(60))) func closingEndsWaiting() async throws {
        let folder = try TemporaryFolder()
        for engine in try await Engine.all(in: folder, indexes: [], now: { .distantPast }).dropFirst() {
            let database = engine.database
            let token = try await database.changeToken()
            let wait = Task { try await database.waitForChanges(after: token) }
            try await engine.end()
            let failure = await #expect(throws: RecordDatabaseError.self, "\(engine.name)") { try await wait.value }
            #expect(failure?.code == .closed, "\(engine.name)")
        }
    }
}

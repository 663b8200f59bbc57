import TestSupport
import Testing

@testable import NestedRecords

/// What one decoding learnt must not be lost to another one that began earlier.
@Suite(.timeLimit(.minutes(60))) struct ForgottenKnowledgeTests {
    struct Failure: Error {}

    /// Fails, after something else was done while the caller waited.
    struct SlowFailingDatabase: RecordDatabase {
        let during: @Sendable () async throws -> Void

        func records(for ids: [Record.ID]) async throws -> [Record] {
            try await during()
            throw Failure()
        }

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { throw Failure() }

        func storedRecords(ofType type: String?) -> RecordSequence { InMemoryRecordDatabase().records(ofType: type) }
    }

    struct Root: RecordDecodable, Identifiable {
        var id: Int
        var leaf: Leaf
    }

    struct Leaf: RecordDecodable, Identifiable { var id: Int }

    @Test func failedDecodingForgetsNothingThatWasLearntDuringIt() async throws {
        let database = try await CountingDatabase(holding: [
            Flat.record("Root/1", ["id": .int(1), "leaf": Flat.reference("Leaf/1")]),
            Flat.record("Leaf/1", ["id": .int(1)]),
        ])
        let id = try Record.ID("Root/1")
        let slow = SlowFailingDatabase { _ = try await RecordDecoder().decode(Root.self, from: id, in: database) }
        await #expect(throws: (any Error).self) { try await RecordDecoder().decode(Root.self, from: id, in: slow) }
        #expect(try await RecordDecoder().resolve(Root.self, from: id, in: database).passCount == 1)
    }
}

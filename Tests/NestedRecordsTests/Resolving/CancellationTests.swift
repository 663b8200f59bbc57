import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    struct Link: RecordCodable, Identifiable {
        var id: Int
        var next: [Link]
    }

    private func makeGraph() throws -> RecordGraph {
        try RecordEncoder().encode((1...5).reversed().reduce(Link(id: 6, next: [])) { Link(id: $1, next: [$0]) })
    }

    @Test func cancelledTaskDoesNotAskTheDatabase() async throws {
        let database = try await CountingDatabase(holding: makeGraph())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await RecordDecoder().decode(Link.self, named: "1", in: database)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.calls.isEmpty)
    }

    @Test(arguments: [1, 3]) func cancellationDuringACallEndsBeforeTheNext(call: Int) async throws {
        let last = try Record.ID("Link/\(call)")
        let database = try await CountingDatabase(holding: makeGraph()) { ids, answer in
            if ids.contains(last) { withUnsafeCurrentTask { $0?.cancel() } }
            return answer
        }
        let task = Task { _ = try await RecordDecoder().decode(Link.self, named: "1", in: database) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.calls.count == call)
    }

    @Test func cancellationBetweenTheBatchesOfALevelEndsBeforeTheNext() async throws {
        let second = try Record.ID("Link/2")
        let root = Link(id: 1, next: [Link(id: 2, next: []), Link(id: 3, next: []), Link(id: 4, next: [])])
        let database = try await CountingDatabase(holding: RecordEncoder().encode(root), batchLimit: 1) { ids, answer in
            if ids.contains(second) { withUnsafeCurrentTask { $0?.cancel() } }
            return answer
        }
        let task = Task { _ = try await RecordDecoder().decode(Link.self, named: "1", in: database) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.asked == ["Link/1", "Link/2"])
    }

    @Test func databaseThatIsCancelledIsNotAFailedFetch() async throws {
        let database = try await CountingDatabase(holding: []) { _, _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) {
            try await RecordDecoder().decode(Link.self, named: "1", in: database)
        }
    }
}

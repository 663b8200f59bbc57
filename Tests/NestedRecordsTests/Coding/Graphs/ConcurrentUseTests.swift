import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct ConcurrentUseTests {
    struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: Int
        var text: String
    }

    struct Root: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leaves: [Leaf]
        var best: Leaf?

        init(id: Int) {
            self.id = id
            leaves = (0..<20).map { Leaf(id: $0 + id, text: "leaf \($0 + id)") }
            best = leaves.last
        }
    }

    @Test(arguments: [KeyStrategy.unchanged, .snakeCase, .custom { "f_" + $0 }])
    func oneEncoderAndOneDecoderServeManyTasks(strategy: KeyStrategy) async throws {
        let (encoder, decoder) = coders(keys: strategy)
        let database = InMemoryRecordDatabase()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<40 {
                group.addTask { [encoder, decoder] in
                    let root = Root(id: id)
                    let graph = try encoder.encode(root)
                    #expect(try decoder.decode(Root.self, from: graph) == root)
                    try await database.save(graph, savePolicy: .overwrite)
                    #expect(try await decoder.decode(Root.self, named: "\(id)", in: database) == root)
                }
            }
            try await group.waitForAll()
        }
    }
}

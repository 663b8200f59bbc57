import NestedRecords
import TestSupport
import Testing

/// Deep values in threads whose stack they would overflow if the coders simply recursed.
@Suite(.timeLimit(.minutes(10))) struct SmallStackTests {
    typealias Node = DepthLimitTests.Node
    typealias Step = DepthLimitTests.Step

    /// Hands a decoded chain to another thread: releasing it takes more stack than a small thread has.
    private struct Chain: @unchecked Sendable {
        var node: Node?

        mutating func dismantle(by step: Step) -> Int {
            var count = 0
            while let current = node {
                count += 1
                switch step {
                case .record: node = current.next
                case .list: node = current.list?.first
                case .dictionary: node = current.dictionary?["k"]
                case .numbers: node = current.numbers?[7]
                case .payload: if case .next(let next) = current.payload { node = next } else { node = nil }
                case .embedded: node = current.embedded?.next
                }
                (current.next, current.list, current.dictionary, current.numbers) = (nil, nil, nil, nil)
                (current.payload, current.embedded) = (nil, nil)
            }
            return count
        }
    }

    private static func makeChain(records count: Int, by step: Step) -> Chain {
        Chain(node: (1..<count).reversed().reduce(Node(id: count)) { Node(id: $1, over: $0, by: step) })
    }

    /// As many records as a depth of 1,000 allows.
    private func count(by step: Step) -> Int { 1 + 999 / step.levels }

    @Test(arguments: Step.allCases) func deepestValueIsCodedOnASmallStack(step: Step) async throws {
        let count = count(by: step)
        let chain = Self.makeChain(records: count, by: step)
        let (chains, graph) = try await inThreadWithSmallStack { () -> ([Chain], RecordGraph) in
            let graph = try RecordEncoder().encode(try #require(chain.node))
            let decoded = Chain(node: try RecordDecoder().decode(Node.self, from: graph))
            return ([chain, decoded], graph)
        }
        #expect(graph.count == count)
        for var chain in chains { #expect(chain.dismantle(by: step) == count) }
    }

    @Test(arguments: Step.allCases) func deepestValueIsCodedInATask(step: Step) async throws {
        let count = count(by: step)
        let counts = try await Task.detached {
            var chain = Self.makeChain(records: count, by: step)
            let database = InMemoryRecordDatabase()
            try await database.save(try RecordEncoder().encode(try #require(chain.node)))
            var decoded = Chain(node: try await RecordDecoder().decode(Node.self, named: "1", in: database))
            return [chain.dismantle(by: step), decoded.dismantle(by: step)]
        }.value
        #expect(counts == [count, count])
    }

    @Test func thousandsOfRecordsAreCodedOnASmallStackWhereTheLimitAllows() async throws {
        let count = Sweep.count(3_000, whole: 10_000)
        let chain = Self.makeChain(records: count, by: .record)
        var (before, decoded) = try await inThreadWithSmallStack { () -> (Chain, Chain) in
            var encoder = RecordEncoder()
            var decoder = RecordDecoder()
            encoder.maximumDepth = count
            decoder.maximumDepth = count
            let graph = try encoder.encode(try #require(chain.node))
            return (chain, Chain(node: try decoder.decode(Node.self, from: graph)))
        }
        #expect(before.dismantle(by: .record) == count)
        #expect(decoded.dismantle(by: .record) == count)
    }

    @Test func thousandsOfRecordsInADatabaseAreDecodedInATask() async throws {
        let most = Sweep.count(3_000, whole: 10_000)
        let records = try (1...most).map { number in
            try Flat.record(
                "Node/\(number)",
                number < most
                    ? ["id": .int(Int64(number)), "next": Flat.reference("Node/\(number + 1)")]
                    : ["id": .int(Int64(number))])
        }
        let database = try await CountingDatabase(holding: records)
        let count = try await Task.detached {
            var decoder = RecordDecoder()
            decoder.maximumDepth = most
            var decoded = Chain(node: try await decoder.decode(Node.self, named: "1", in: database))
            return decoded.dismantle(by: .record)
        }.value
        #expect(count == most)
        #expect(database.asked.count == most)
    }

    @Test func errorBeyondTheLimitReachesASmallStack() async throws {
        let chain = Self.makeChain(records: 1_001, by: .record)
        let (before, error) = try await inThreadWithSmallStack {
            let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(try #require(chain.node)) }
            return (chain, error)
        }
        guard error?.code == .depthLimitExceeded, error?.limit == 1_000 else {
            Issue.record("\(String(describing: error))")
            return
        }
        var rest = before
        #expect(rest.dismantle(by: .record) == 1_001)
    }
}

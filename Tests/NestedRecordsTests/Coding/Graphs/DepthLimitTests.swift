import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DepthLimitTests {
    /// Reads the next node by hand.
    private final class HandReadNode: RecordCodable, Identifiable {
        let id: Int
        let next: HandReadNode?

        private enum CodingKeys: String, CodingKey { case id, next }

        init(_ id: Int, next: HandReadNode?) { (self.id, self.next) = (id, next) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            next = container.contains(.next) ? try HandReadNode(from: container.superDecoder(forKey: .next)) : nil
        }
    }

    @Test func recordsThatAreReadByHandHaveTheDepthThatTheyHadWhileEncoding() throws {
        var node: HandReadNode?
        for id in 1...600 { node = HandReadNode(id, next: node) }
        let graph = try RecordEncoder().encode(#require(node))
        #expect(try RecordDecoder().decode(HandReadNode.self, from: graph).next?.id == 599)
    }

    /// What stands between a record and the one below it, and how many levels one of these steps takes.
    enum Step: String, CaseIterable, Sendable {
        case record, list, dictionary, numbers, payload, embedded

        var levels: Int {
            switch self {
            case .record: 1
            case .list, .dictionary, .numbers, .embedded: 2
            case .payload: 3
            }
        }
    }

    enum Payload: Codable {
        case next(Node)
    }

    struct Embedded: Codable {
        var next: Node
    }

    final class Node: RecordCodable, Identifiable {
        let id: Int
        var next: Node?
        var list: [Node]?
        var dictionary: [String: Node]?
        var numbers: [Int: Node]?
        var payload: Payload?
        var embedded: Embedded?

        init(id: Int, over next: Node? = nil, by step: Step = .record) {
            self.id = id
            guard let next else { return }
            switch step {
            case .record: self.next = next
            case .list: list = [next]
            case .dictionary: dictionary = ["k": next]
            case .numbers: numbers = [7: next]
            case .payload: payload = .next(next)
            case .embedded: embedded = Embedded(next: next)
            }
        }
    }

    private func depth(of count: Int, by step: Step) -> Int { 1 + (count - 1) * step.levels }

    private static func makeChain(records count: Int, by step: Step) -> Node {
        (1..<count).reversed().reduce(Node(id: count)) { Node(id: $1, over: $0, by: step) }
    }

    private func limit(_ body: () throws -> Void) throws -> (limit: Int, place: RecordContext)? {
        let error = #expect(throws: RecordError.self) { try body() }
        guard error?.code == .depthLimitExceeded, let limit = error?.limit, let place = error?.context else {
            return nil
        }
        return (limit, place)
    }

    @Test(arguments: Step.allCases) func valueAtTheLimitIsCodedAndOneBeyondIsNot(step: Step) throws {
        let count = 12
        let chain = Self.makeChain(records: count, by: step)
        var encoder = RecordEncoder()
        var decoder = RecordDecoder()
        encoder.coding.maximumDepth = depth(of: count, by: step)
        decoder.coding.maximumDepth = encoder.coding.maximumDepth
        let graph = try encoder.encode(chain)
        #expect(graph.count == count)
        let decoded = try decoder.decode(Node.self, from: graph)
        #expect(try encoder.encode(decoded) == graph)

        encoder.coding.maximumDepth -= 1
        decoder.coding.maximumDepth -= 1
        let encoding = try #require(try limit { _ = try encoder.encode(chain) })
        let decoding = try #require(try limit { _ = try decoder.decode(Node.self, from: graph) })
        for (limit, place) in [encoding, decoding] {
            #expect(limit == encoder.coding.maximumDepth)
            #expect(place.record == (try Record.ID("Node/\(count - 1)")))
            #expect(place.chain.map(\.record.name) == (1..<count).map(String.init))
            #expect(place.codingPath.count == (count - 1) * step.levels)
            #expect(place.field == (step == .record ? "next" : step.rawValue))
        }
    }

    @Test func thousandRecordsAreWithinTheDefaultAndOneMoreIsNot() throws {
        #expect(try RecordEncoder().encode(Self.makeChain(records: 1_000, by: .record)).count == 1_000)
        let tooDeep = Self.makeChain(records: 1_001, by: .record)
        let encoding = try #require(try limit { _ = try RecordEncoder().encode(tooDeep) })
        #expect(encoding.limit == 1_000)
        #expect(encoding.place.record == (try Record.ID("Node/1000")))
        #expect(encoding.place.field == "next")

        var encoder = RecordEncoder()
        encoder.coding.maximumDepth = 1_001
        let graph = try encoder.encode(tooDeep)
        let decoding = try #require(try limit { _ = try RecordDecoder().decode(Node.self, from: graph) })
        #expect(decoding.limit == 1_000)
        #expect(decoding.place.record == (try Record.ID("Node/1000")))
    }

    @Test func chainInADatabaseObeysTheLimit() async throws {
        let database = InMemoryRecordDatabase()
        try await database.save(try RecordEncoder().encode(Self.makeChain(records: 8, by: .record)))
        var decoder = RecordDecoder()
        decoder.coding.maximumDepth = 7
        let error = await #expect(throws: RecordError.self) {
            try await decoder.decode(Node.self, named: "1", in: database)
        }
        #expect(error?.code == .depthLimitExceeded && error?.limit == 7)
        #expect(error?.context.record == (try Record.ID("Node/7")))
    }

    @Test(arguments: [0, -1, Int.min]) func limitBelowOneLetsNothingThrough(maximumDepth: Int) throws {
        var encoder = RecordEncoder()
        encoder.coding.maximumDepth = maximumDepth
        let result = try #require(try limit { _ = try encoder.encode(Node(id: 1)) })
        #expect(result.limit == maximumDepth)
        #expect(result.place.codingPath.isEmpty)
    }

    // Threads whose stack would overflow if the coders simply recursed.

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

    /// As many records as a depth of 1,000 allows.
    private func count(by step: Step) -> Int { 1 + 999 / step.levels }

    @Test(arguments: Step.allCases) func deepestValueIsCodedOnASmallStack(step: Step) async throws {
        let count = count(by: step)
        let chain = Chain(node: Self.makeChain(records: count, by: step))
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
            var chain = Chain(node: Self.makeChain(records: count, by: step))
            let database = InMemoryRecordDatabase()
            try await database.save(try RecordEncoder().encode(try #require(chain.node)))
            var decoded = Chain(node: try await RecordDecoder().decode(Node.self, named: "1", in: database))
            return [chain.dismantle(by: step), decoded.dismantle(by: step)]
        }.value
        #expect(counts == [count, count])
    }

    @Test func thousandsOfRecordsAreCodedOnASmallStackWhereTheLimitAllows() async throws {
        let count = Sweep.count(3_000, whole: 10_000)
        let chain = Chain(node: Self.makeChain(records: count, by: .record))
        var (before, decoded) = try await inThreadWithSmallStack { () -> (Chain, Chain) in
            var encoder = RecordEncoder()
            var decoder = RecordDecoder()
            encoder.coding.maximumDepth = count
            decoder.coding.maximumDepth = count
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
            decoder.coding.maximumDepth = most
            var decoded = Chain(node: try await decoder.decode(Node.self, named: "1", in: database))
            return decoded.dismantle(by: .record)
        }.value
        #expect(count == most)
        #expect(database.asked.count == most)
    }

    @Test func errorBeyondTheLimitReachesASmallStack() async throws {
        let chain = Chain(node: Self.makeChain(records: 1_001, by: .record))
        let (before, error) = try await inThreadWithSmallStack {
            let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(try #require(chain.node)) }
            return (chain, error)
        }
        #expect(error?.code == .depthLimitExceeded && error?.limit == 1_000)
        var rest = before
        #expect(rest.dismantle(by: .record) == 1_001)
    }
}

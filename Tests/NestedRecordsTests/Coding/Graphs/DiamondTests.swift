import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiamondTests {
    static let levels = 30

    final class Node: RecordCodable, Identifiable {
        let id: Int
        let left: Node?
        let right: Node?
        let counter: Counter?

        final class Counter { var encodings = 0 }

        init(id: Int, below: Node?, counter: Counter?) {
            (self.id, left, right, self.counter) = (id, below, below, counter)
        }

        enum CodingKeys: CodingKey { case id, left, right }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            left = try container.decodeIfPresent(Node.self, forKey: .left)
            right = try container.decodeIfPresent(Node.self, forKey: .right)
            counter = nil
        }

        func encode(to encoder: any Encoder) throws {
            counter?.encodings += 1
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encodeIfPresent(left, forKey: .left)
            try container.encodeIfPresent(right, forKey: .right)
        }
    }

    private func makeDiamond(_ counter: Node.Counter? = nil) -> Node {
        (0...Self.levels).reduce(into: Node?.none) { $0 = Node(id: $1, below: $0, counter: counter) }
            ?? Node(id: -1, below: nil, counter: counter)
    }

    @Test func everyInstanceOfADiamondIsEncodedOnce() throws {
        let counter = Node.Counter()
        let graph = try RecordEncoder().encode(makeDiamond(counter))
        #expect(counter.encodings == 31)
        #expect(graph.map(\.id.name) == (0...Self.levels).map(String.init))
    }

    @Test func bothSidesOfADecodedDiamondAreOneInstance() throws {
        var node: Node?
        let time = try threadTime {
            node = try RecordDecoder().decode(Node.self, from: try RecordEncoder().encode(makeDiamond()))
        }
        #expect(time < .seconds(1))
        var count = 0
        while let current = node {
            #expect(current.left === current.right)
            count += 1
            node = current.left
        }
        #expect(count == 31)
    }

    struct Leafy: RecordCodable, Identifiable, Equatable {
        var id: Int
        var children: [Leafy]
    }

    @Test func diamondOfStructsThatShareStorageTakesLinearTime() throws {
        var decoded = Leafy(id: 0, children: [])
        let time = try threadTime {
            var root = decoded
            for level in 1...Self.levels { root = Leafy(id: level, children: [root, root]) }
            let graph = try RecordEncoder().encode(root)
            #expect(graph.count == 31)
            decoded = try RecordDecoder().decode(Leafy.self, from: graph)
        }
        #expect(time < .seconds(1))
        // Comparing two diamonds as a whole takes exponential time.
        for level in (0...Self.levels).reversed() {
            #expect(decoded.id == level)
            #expect(decoded.children.count == (level == 0 ? 0 : 2))
            if let child = decoded.children.last { decoded = child }
        }
    }
}

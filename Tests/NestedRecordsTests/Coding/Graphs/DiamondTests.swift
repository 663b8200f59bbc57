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

// Diamonds whose sides are equal but neither one instance nor of one storage, so that bytes do not show it.

private final class Encodings { var count = 0 }

private protocol Copied: RecordEncodable, Identifiable {
    var children: [Self] { get }
    var encodings: Encodings { get }
}

private enum CopyKeys: CodingKey { case id, children }

extension Copied {
    func encode(to encoder: any Encoder) throws {
        encodings.count += 1
        var container = encoder.container(keyedBy: CopyKeys.self)
        try container.encode(id as? Int, forKey: .id)
        try container.encode(children, forKey: .children)
    }
}

extension DiamondTests {
    private struct Struct: Copied {
        let id: Int
        let children: [Struct]
        let encodings: Encodings
    }

    private final class Class: Copied {
        let id: Int
        let children: [Class]
        let encodings: Encodings

        init(id: Int, children: [Class], encodings: Encodings) {
            (self.id, self.children, self.encodings) = (id, children, encodings)
        }
    }

    @Test func everyCopyIsEncodedOnce() throws {
        func expect<Node: Copied>(_ make: (Int, [Node], Encodings) -> Node) throws {
            let (encodings, copies, levels) = (Encodings(), 3, 8)
            var nodes: [Node] = []
            // A copy of the array has a storage of its own.
            for level in 0...levels { nodes = (0..<copies).map { _ in make(level, nodes.map { $0 }, encodings) } }
            #expect(try RecordEncoder().encode(nodes[0]).count == levels + 1)
            #expect(encodings.count <= (copies + 1) * (levels + 1))
        }
        try expect { Struct(id: $0, children: $1, encodings: $2) }
        try expect { Class(id: $0, children: $1, encodings: $2) }
    }
}

// Types that try both ways to a record that cannot be decoded.

extension DiamondTests {
    private struct EitherWay: RecordDecodable, Identifiable {
        struct Missing: Error {}
        static let attempts = CodingUserInfoKey(rawValue: "attempts") ?? .recordID

        let id: Int
        enum CodingKeys: CodingKey { case id, left, right }

        init(from decoder: any Decoder) throws {
            (decoder.userInfo[Self.attempts] as? Locked<Int>)?.withLock { $0 += 1 }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            let left = try? container.decode(EitherWay.self, forKey: .left)
            let right = try? container.decode(EitherWay.self, forKey: .right)
            if left == nil, right == nil { throw Missing() }
        }
    }

    @Test(arguments: [false, true]) func recordThatFailsOrIsInARingIsNotTriedAgain(isRing: Bool) throws {
        let levels = 12
        let records = try (0...levels).map { level in
            let below: Record.Value =
                level == 0 && !isRing ? .null : try Flat.reference("EitherWay/\(max(level - 1, 0))")
            return try Flat.record("EitherWay/\(level)", ["id": .int(Int64(level)), "left": below, "right": below])
        }
        let attempts = Locked(0)
        var decoder = RecordDecoder()
        decoder.userInfo = [EitherWay.attempts: attempts]
        #expect(throws: DecodingError.self) {
            try decoder.decode(EitherWay.self, from: RecordGraph(records), root: Record.ID("EitherWay/\(levels)"))
        }
        #expect(attempts.withLock { $0 } <= 2 * (levels + 1))
    }
}

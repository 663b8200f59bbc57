import NestedRecords
import TestSupport
import Testing

@Suite struct DiamondTests {
    /// The number of ways to the last level is 131,072.
    static let levels = 17
    static let calls = CodingUserInfoKey(rawValue: "calls") ?? .recordID

    final class Node: RecordCodable, Identifiable {
        let id: Int
        let left: Node?
        let right: Node?

        init(id: Int, below: Node?) { (self.id, left, right) = (id, below, below) }

        enum CodingKeys: CodingKey { case id, left, right }

        init(from decoder: any Decoder) throws {
            count(decoder.userInfo)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            left = try container.decodeIfPresent(Node.self, forKey: .left)
            right = try container.decodeIfPresent(Node.self, forKey: .right)
        }

        func encode(to encoder: any Encoder) throws {
            count(encoder.userInfo)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encodeIfPresent(left, forKey: .left)
            try container.encodeIfPresent(right, forKey: .right)
        }
    }

    struct Leafy: RecordCodable, Identifiable {
        let id: Int
        let children: [Leafy]

        init(id: Int, children: [Leafy]) { (self.id, self.children) = (id, children) }

        enum CodingKeys: CodingKey { case id, children }

        init(from decoder: any Decoder) throws {
            count(decoder.userInfo)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            children = try container.decode([Leafy].self, forKey: .children)
        }

        func encode(to encoder: any Encoder) throws {
            count(encoder.userInfo)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(children, forKey: .children)
        }
    }

    /// Encodes and decodes a value of one record a level, with no more calls than these in each direction.
    private func decoded<Value: RecordCodable>(_ value: Value, mostCalls: Int) throws -> Value {
        let calls = Locked(0)
        var (encoder, decoder) = (RecordEncoder(), RecordDecoder())
        encoder.coding.userInfo = [Self.calls: calls]
        decoder.coding.userInfo = [Self.calls: calls]
        let graph = try encoder.encode(value)
        #expect(graph.map(\.id.name) == (0...Self.levels).map(String.init))
        #expect(calls.withLock { $0 } <= mostCalls)
        calls.withLock { $0 = 0 }
        let decoded = try decoder.decode(Value.self, from: graph)
        #expect(calls.withLock { $0 } <= mostCalls)
        return decoded
    }

    @Test func bothSidesOfADecodedDiamondAreOneInstance() throws {
        let root = (1...Self.levels).reduce(Node(id: 0, below: nil)) { Node(id: $1, below: $0) }
        var node: Node? = try decoded(root, mostCalls: Self.levels + 1)
        for level in (0...Self.levels).reversed() {
            #expect(node?.id == level)
            #expect(node?.left === node?.right)
            node = node?.left
        }
        #expect(node == nil)
    }

    @Test func callsForADiamondOfStructsThatShareStorageGrowWithItsLevels() throws {
        let root = (1...Self.levels).reduce(Leafy(id: 0, children: [])) { Leafy(id: $1, children: [$0, $0]) }
        // The second child of a level is encoded to compare it with the first one.
        var value = try decoded(root, mostCalls: 2 * Self.levels + 1)
        for level in (0...Self.levels).reversed() {
            #expect(value.id == level)
            #expect(value.children.count == (level == 0 ? 0 : 2))
            if let child = value.children.last { value = child }
        }
    }
}

/// Counts a call where the coder has a counter.
private func count(_ userInfo: [CodingUserInfoKey: Any]) {
    (userInfo[DiamondTests.calls] as? Locked<Int>)?.withLock { $0 += 1 }
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

        let id: Int
        enum CodingKeys: CodingKey { case id, left, right }

        init(from decoder: any Decoder) throws {
            count(decoder.userInfo)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            let left = try? container.decode(EitherWay.self, forKey: .left)
            let right = try? container.decode(EitherWay.self, forKey: .right)
            if left == nil, right == nil { throw Missing() }
        }
    }

    @Test func recordThatFailsIsTriedAgainWhereverAnotherRefersToIt() throws {
        let records = try (0...3).map { level in
            let below: Record.Value = level == 0 ? .null : try Flat.reference("EitherWay/\(level - 1)")
            return try Flat.record("EitherWay/\(level)", ["id": .int(Int64(level)), "left": below, "right": below])
        }
        let attempts = Locked(0)
        var decoder = RecordDecoder()
        decoder.coding.userInfo = [Self.calls: attempts]
        #expect(throws: DecodingError.self) {
            try decoder.decode(EitherWay.self, from: RecordGraph(records), root: Record.ID("EitherWay/3"))
        }
        #expect(attempts.withLock { $0 } == 15)
    }
}

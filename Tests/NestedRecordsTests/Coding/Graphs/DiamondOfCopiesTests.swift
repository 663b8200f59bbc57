import NestedRecords
import Testing

/// Diamonds whose sides are equal but neither one instance nor of one storage, so that bytes do not show it.
@Suite(.timeLimit(.minutes(10))) struct DiamondOfCopiesTests {
    final class Counter { var encodings = 0 }

    enum CodingKeys: CodingKey { case id, children }

    struct Struct: RecordEncodable, Identifiable {
        let id: Int
        let children: [Struct]
        let counter: Counter

        func encode(to encoder: any Encoder) throws {
            counter.encodings += 1
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(children, forKey: .children)
        }
    }

    final class Class: RecordEncodable, Identifiable {
        let id: Int
        let children: [Class]
        let counter: Counter

        init(id: Int, children: [Class], counter: Counter) {
            (self.id, self.children, self.counter) = (id, children, counter)
        }

        func encode(to encoder: any Encoder) throws {
            counter.encodings += 1
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(children, forKey: .children)
        }
    }

    private let levels = 8
    private let copies = 3

    @Test func everyCopyOfAStructIsEncodedOnce() throws {
        let counter = Counter()
        var nodes: [Struct] = []
        for level in 0...levels {
            nodes = (0..<copies).map { _ in Struct(id: level, children: nodes.map { $0 }, counter: counter) }
        }
        #expect(try RecordEncoder().encode(nodes[0]).count == levels + 1)
        #expect(counter.encodings <= (copies + 1) * (levels + 1))
    }

    @Test func everyCopyOfAnInstanceIsEncodedOnce() throws {
        let counter = Counter()
        var nodes: [Class] = []
        for level in 0...levels {
            nodes = (0..<copies).map { _ in Class(id: level, children: nodes, counter: counter) }
        }
        #expect(try RecordEncoder().encode(nodes[0]).count == levels + 1)
        #expect(counter.encodings <= (copies + 1) * (levels + 1))
    }
}

import NestedRecords
import TestSupport
import Testing

/// What a type says of itself may come from somewhere that changes between calls: each call takes it as it is then.
@Suite(.serialized) struct ChangedTypeReuseTests {
    struct Words {
        var recordType = "Item"
        var ignored: Set<String> = []
        var locations: Set<String> = []
        var cascading: Set<String> = []
        var fieldOfA = "a"
    }

    static let words = Locked(Words())

    struct Item: RecordCodable, Equatable {
        static var recordType: String { words.withLock { $0.recordType } }
        static var ignoredProperties: Set<String> { words.withLock { $0.ignored } }
        static var locationProperties: Set<String> { words.withLock { $0.locations } }
        static var cascadingProperties: Set<String> { words.withLock { $0.cascading } }

        enum CodingKeys: CodingKey {
            case a, b

            var stringValue: String { self == .a ? words.withLock { $0.fieldOfA } : "b" }
            init?(stringValue: String) { nil }
        }

        var recordName: String { "1" }
        var a: String?
        var b: Record.Reference?
    }

    private func encode(_ words: Words) throws -> Record {
        Self.words.withLock { $0 = words }
        let target = Record.Reference(to: try Record.ID("Other/2"))
        return try #require(try RecordEncoder().encode(Item(a: "1.0;2.0", b: target)).last)
    }

    @Test func eachCallAsksTheTypeAgain() throws {
        for _ in 0..<3 {
            let plain = try encode(Words())
            #expect(plain.id.description == "Item/1")
            #expect(plain["a"] == "1.0;2.0")
            #expect(try encode(Words(recordType: "Thing")).id.description == "Thing/1")
            let ignored = try encode(Words(ignored: ["a"]))
            #expect(ignored["a"] == nil && ignored["b"] != nil)
            #expect(try encode(Words(locations: ["a"]))["a"] == .location(try Location("1.0;2.0")))
            let cascading = try encode(Words(cascading: ["b"]))
            guard case .reference(let reference) = cascading["b"] else {
                Issue.record("no reference")
                return
            }
            #expect(reference.action == .deleteSelf)
        }
    }

    @Test func eachCallTakesTheTextsOfKeysAsTheyAre() throws {
        for (round, text) in ["a", "first", "a", "second", "first"].enumerated() {
            Self.words.withLock { $0 = Words(fieldOfA: text) }
            let item = Item(a: "value \(round)")
            let graph = try RecordEncoder().encode(item)
            #expect(graph.last?.fields == [text: .string("value \(round)")])
            #expect(try RecordDecoder().decode(Item.self, from: graph) == item)
        }
        let record = try Record(id: Record.ID("Item/1"), fields: ["a": "first", "c": "second"])
        let graph = try RecordGraph([record], roots: [record.id])
        for text in ["a", "c", "d", "c", "d", "a"] {
            Self.words.withLock { $0 = Words(fieldOfA: text) }
            #expect(try RecordDecoder().decode(Item.self, from: graph).a.map(Record.Value.string) == record[text])
        }
    }

    /// Three types of keys on one encoder, as in a hierarchy of classes that write to the encoder of their subclass.
    class Base: RecordCodable {
        class var recordType: String { "Base" }
        var recordName: String { "1" }
        let base: Int

        init(_ base: Int) { self.base = base }
    }

    class Middle: Base {
        override class var recordType: String { "Middle" }
        let middle: Int

        enum Keys: CodingKey { case middle }

        override init(_ number: Int) {
            middle = number + 1
            super.init(number)
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            middle = try container.decode(Int.self, forKey: .middle)
            try super.init(from: decoder)
            // Used again when the others are there.
            _ = try container.decode(Int.self, forKey: .middle)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: encoder)
            try container.encode(middle, forKey: .middle)
        }
    }

    final class Leaf: Middle {
        override class var recordType: String { "Leaf" }
        override var recordName: String { "\(leaf)" }
        let leaf: Int

        enum LeafKeys: CodingKey { case leaf }

        override init(_ number: Int) {
            leaf = number + 2
            super.init(number)
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: LeafKeys.self)
            leaf = try container.decode(Int.self, forKey: .leaf)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: LeafKeys.self)
            try super.encode(to: encoder)
            try container.encode(leaf, forKey: .leaf)
        }
    }

    struct Tree: RecordCodable {
        static var recordType: String { "Tree" }
        var recordName: String { "1" }
        var leaves: [Leaf]
    }

    @Test func threeContainersOfOneEncoderServeEachValueAnew() throws {
        for count in [1, 3, 100] {
            let tree = Tree(leaves: (0..<count).map(Leaf.init))
            let graph = try RecordEncoder().encode(tree)
            #expect(graph.first?.fields == ["base": 0, "middle": 1, "leaf": 2])
            let leaves = try RecordDecoder().decode(Tree.self, from: graph).leaves
            #expect(leaves.map(\.base) == Array(0..<count))
            #expect(leaves.map(\.leaf) == Array(2..<(count + 2)))
        }
    }
}

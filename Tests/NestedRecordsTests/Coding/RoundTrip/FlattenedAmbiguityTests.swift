import NestedRecords
import TestSupport
import Testing

/// Different values must not become the same fields.
@Suite struct FlattenedAmbiguityTests {
    /// An object whose keys are data, under keys of its own.
    indirect enum Tree: Codable, Equatable {
        case leaf(Int)
        case branch([String: Tree])

        init(from decoder: any Decoder) throws {
            if let leaf = try? decoder.singleValueContainer().decode(Int.self) {
                self = .leaf(leaf)
                return
            }
            let container = try decoder.container(keyedBy: FreeKey.self)
            self = .branch(
                try Dictionary(
                    uniqueKeysWithValues: container.allKeys.map {
                        ($0.stringValue, try container.decode(Tree.self, forKey: $0))
                    }))
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .leaf(let leaf):
                var container = encoder.singleValueContainer()
                try container.encode(leaf)
            case .branch(let branches):
                var container = encoder.container(keyedBy: FreeKey.self)
                for (name, tree) in branches { try container.encode(tree, forKey: FreeKey(name)) }
            }
        }
    }

    @Test(
        arguments: [
            Tree.branch(["a": .branch(["b": .leaf(1)])]), .branch(["a_b": .leaf(1)]),
            .branch(["a": .branch(["": .leaf(1)])]), .branch(["a": .branch(["b": .branch(["c": .leaf(1)])])]),
            .branch(["a": .branch([:])]), .branch(["a": .leaf(1), "a_b": .branch(["c": .leaf(2)])]),
        ], ["_", ""])
    func objectWithOpenKeysComesBackOrIsRefused(_ tree: Tree, _ separator: String) {
        let (encoder, decoder) = coders(.flattened(separator: separator))
        #expect(codingOutcome(RecordOf(tree), encoder, decoder) == .returned)
        #expect(codingOutcome(Holder(tree), encoder, decoder) == .returned)
    }

    struct Inner: Codable, Equatable {
        var x: Int?
        var y: Int?
    }

    struct Doubled: RecordCodable, Identifiable, Equatable {
        var id = 1
        var a: Inner??
        var a_x: Int?
    }

    @Test func nestedOptionalIsNotTakenFromOtherFields() {
        let (encoder, decoder) = coders(.flattened())
        let values = [Doubled(a: nil, a_x: 1), Doubled(a: Inner(x: 2), a_x: nil), Doubled(a: Inner())]
        #expect(values.map { codingOutcome($0, encoder, decoder) } == [.refused, .refused, .returned])
    }

    struct Nameless: Codable, Equatable {
        var a: Int?
        var entries: [String: Int]?
        enum CodingKeys: String, CodingKey {
            case a
            case entries = ""
        }
    }

    @Test(arguments: ["_", ""])
    func emptyKeyAndEmptySeparatorDoNotMeet(_ separator: String) {
        let (encoder, decoder) = coders(.flattened(separator: separator))
        let outcome = separator == "" ? CodingOutcome.refused : .returned
        #expect(codingOutcome(Holder(Nameless(entries: ["a": 1])), encoder, decoder) == outcome)
        #expect(codingOutcome(Holder(Nameless(a: 1, entries: [:])), encoder, decoder) == outcome)
        #expect(codingOutcome(Holder(Optional(Nameless(a: 1))), encoder, decoder) == .returned)
    }

    struct Outer: Codable, Equatable {
        var inner: Inner?
        var plain: Int?
    }

    /// Writes itself as its value, and reads it back as a single value.
    struct Lenient: Codable, Equatable {
        var outer: Outer

        init(_ outer: Outer) { self.outer = outer }

        init(from decoder: any Decoder) throws {
            outer = try decoder.singleValueContainer().decode(Outer.self)
        }

        func encode(to encoder: any Encoder) throws { try outer.encode(to: encoder) }
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func flattenedValueThatIsReadAsASingleValueIsWhole(_ strategy: EmbeddingStrategy) {
        let (encoder, decoder) = coders(strategy)
        let value = Lenient(Outer(inner: Inner(x: 1), plain: 2))
        #expect(codingOutcome(Holder(value), encoder, decoder) == .returned)
        #expect(codingOutcome(RecordOf(value), encoder, decoder) == .returned)
        #expect(codingOutcome(Holder(Optional(value)), encoder, decoder) == .returned)
    }

    struct Marked: RecordCodable, Identifiable, Equatable {
        var id = 1
        var part: Inner?
        var other: Int?
        enum CodingKeys: String, CodingKey {
            case id
            case part = "e"
            case other = "\u{E9}x"
        }
    }

    /// With this separator the names `e` and `x` look like one that another property has.
    @Test func namesThatOnlyLookAlikeDoNotMeet() {
        let (encoder, decoder) = coders(.flattened(separator: "\u{301}"))
        let values = [Marked(part: Inner(x: 1), other: 2), Marked(part: Inner(x: 1)), Marked(other: 2)]
        #expect(values.map { codingOutcome($0, encoder, decoder) } == [.refused, .refused, .returned])
    }

    struct PartOfAReservedName: Codable {
        enum CodingKeys: String, CodingKey { case end = "ue" }
        var end = 5
    }

    struct JoinedToAReservedName: RecordEncodable {
        var recordName: String { "j" }
        enum CodingKeys: String, CodingKey { case start = "$val" }
        var start = PartOfAReservedName()
    }

    @Test func joinedNameThatIsReservedIsRefused() {
        var encoder = RecordEncoder()
        encoder.coding.embeddingStrategy = .flattened(separator: "")
        let error = #expect(throws: RecordError.self) { try encoder.encode(JoinedToAReservedName()) }
        #expect(error?.code == .invalidKey)
        #expect(error.map { "\($0)".contains("$value") } == true)
    }
}

@_spi(Engines) import NestedRecords
import TestSupport
import Testing

/// Values of all kinds in all places, flattened.
@Suite struct FlattenedPositionTests {
    struct Size: Codable, Equatable, Hashable {
        var width = 1
        var deep: Deep?
    }

    struct Deep: Codable, Equatable, Hashable {
        var tags: [String] = []
        var size: [Size] = []
    }

    /// Hands its coder to a dictionary.
    struct Entries: Codable, Equatable {
        var entries: [String: Size]
        init(_ entries: [String: Size]) { self.entries = entries }
        init(from decoder: any Decoder) throws { entries = try [String: Size](from: decoder) }
        func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }
    }

    /// Writes its parts without keys.
    struct Pair: Codable, Equatable {
        var left: Size
        var right: Size?
        init(_ left: Size, _ right: Size?) { (self.left, self.right) = (left, right) }
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            left = try container.decode(Size.self)
            right = try container.decodeIfPresent(Size.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(left)
            try container.encode(right)
        }
    }

    struct Silent: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    struct Tagged<Value: Codable & Equatable>: Codable, Equatable {
        var rawValue: Value
        init(_ value: Value) { rawValue = value }
        init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(Value.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
    }

    enum Kind: CaseIterable {
        case object, optional, entries, pair, silent, tagged, taggedEntries, choice, set, numbered, underSuper, nested

        func check(_ body: (any Codable & Equatable) throws -> Void) rethrows {
            let size = Size(width: 2, deep: Deep(tags: ["t"], size: [Size(deep: Deep())]))
            switch self {
            case .object: try body(size)
            case .optional: try body(Embedded(before: 1, value: Size?.none, after: ""))
            case .entries: try body(Entries(["a_b": size, "a b": Size(), "super": Size()]))
            case .pair: try body(Pair(size, nil))
            case .silent: try body(Silent())
            case .tagged: try body(Tagged(size))
            case .taggedEntries: try body(Tagged(Entries(["a": size])))
            case .choice: try body(Payload.two(left: size, right: Size()))
            case .set: try body(Embedded(before: 1, value: Set([size, Size()]), after: ""))
            case .numbered: try body(Embedded(before: 1, value: [1: size, -2: Size()], after: ""))
            case .underSuper: try body(UnderSuper(Embedded(before: 1, value: UnderSuper(size), after: "")))
            case .nested: try body(Nested(size))
            }
        }
    }

    @Test(
        arguments: Kind.allCases,
        [("_", KeyStrategy.unchanged), ("_", .snakeCase), ("", .unchanged), (".", .unchanged)])
    func valueComesBackFromEveryPlace(_ kind: Kind, _ options: (separator: String, keys: KeyStrategy)) throws {
        let (encoder, decoder) = coders(.flattened(separator: options.separator), keys: options.keys)
        func compare<Model: RecordCodable & Equatable>(_ models: [Model]) throws {
            let graph = try encoder.encode(models)
            #expect(try decoder.decodeAll(Model.self, from: graph) == models, "\(graph)")
        }
        func check<Value: Codable & Equatable>(_ value: Value) throws {
            try compare([Holder(value)])
            try compare([RecordOf(value)])
            try compare([SingleValueRecordOf(value)])
            try compare([Holder(Optional(value))])
            try compare([Holder([value, value])])
            try compare([Holder([[value], [], [value, value]])])
            try compare([Holder(["": value, "a_b": value])])
            try compare([Holder([-1: value])])
            try compare([Holder(Embedded(before: 1, value: value, after: "x"))])
            try compare([
                Holder(Embedded(before: 1, value: Optional(Embedded(before: 2, value: value, after: "")), after: ""))
            ])
            try compare([Holder(Payload.two(left: value, right: value))])
            try compare([Holder(Nested(value))])
            try compare([Holder(UnderSuper(value))])
            try compare([RecordOf(UnderSuper(value))])
            try compare([RecordOf(Embedded(before: 1, value: value, after: "x"))])
            try compare([Holder([RecordOf(value)])])
        }
        try kind.check { try check($0) }
    }
}

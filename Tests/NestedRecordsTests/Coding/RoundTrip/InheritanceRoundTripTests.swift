import NestedRecords
import Testing

@Suite struct InheritanceRoundTripTests {
    class Base: Codable, Equatable {
        var id = 1
        var name: String? = "base"
        var list = [1, 2]

        init() {}

        var text: String { "\(type(of: self)) \(id) \(name ?? "-") \(list)" }
        static func == (left: Base, right: Base) -> Bool { left.text == right.text }
    }

    /// Hands its encoder on, after it has written its own properties.
    class Sharing: Base {
        var own = "own"
        enum CodingKeys: CodingKey { case own }

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            own = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .own)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: encoder)
        }
        override var text: String { super.text + own }
    }

    /// Writes its base class under the super key, with one more property after it.
    class Nesting: Sharing {
        var first = 1.5
        var last = [true]
        enum CodingKeys: CodingKey { case first, last }

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            first = try container.decode(Double.self, forKey: .first)
            last = try container.decode([Bool].self, forKey: .last)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(first, forKey: .first)
            try super.encode(to: container.superEncoder())
            try container.encode(last, forKey: .last)
        }
        override var text: String { super.text + "\(first) \(last)" }
    }

    /// A third level, with a key of its own for the base class.
    final class Keyed: Nesting {
        var mine: Int? = 7
        enum CodingKeys: CodingKey { case mine, base }

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            mine = try container.decodeIfPresent(Int.self, forKey: .mine)
            try super.init(from: container.superDecoder(forKey: .base))
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(mine, forKey: .mine)
            try super.encode(to: container.superEncoder(forKey: .base))
        }
        override var text: String { super.text + "\(mine ?? 0)" }
    }

    /// Writes itself and its base class into one list.
    final class Listing: Base {
        var own = 3

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            own = try list.decode(Int.self)
            try super.init(from: list.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(own)
            try super.encode(to: list.superEncoder())
        }
        override var text: String { super.text + "\(own)" }
    }

    static let classes: [RoundTripCase] = [
        RoundTripCase("base class") { Base() },
        RoundTripCase("handing the encoder on") { Sharing() },
        RoundTripCase("super encoder") { Nesting() },
        RoundTripCase("super encoder with a key") { Keyed() },
        RoundTripCase("super encoder in a list") { Listing() },
    ]

    @Test(arguments: classes, RoundTripPosition.allCases)
    func classesComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    @Test func bothStylesAreStoredAsDocumented() throws {
        let record = try RecordEncoder().encode(Holder(Nesting()))[0]
        let base: Record.Fields = [
            "own": .string("own"), "id": .int(1), "name": .string("base"), "list": .list([.int(1), .int(2)]),
        ]
        #expect(
            record["value"] == .map(["first": .double(1.5), "super": .map(base), "last": .list([.bool(true)])]))
    }

    @Test(arguments: [KeyStrategy.snakeCase, .custom { $0.uppercased() }].enumerated().map(\.offset))
    func superEncodersComeBackUnderEveryStrategy(index: Int) throws {
        let strategy = [KeyStrategy.snakeCase, .custom { $0.uppercased() }][index]
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = strategy
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = strategy
        let graph = try encoder.encode(Holder(Nesting()))
        #expect(try decoder.decode(Holder<Nesting>.self, from: graph) == Holder(Nesting()))
    }
}

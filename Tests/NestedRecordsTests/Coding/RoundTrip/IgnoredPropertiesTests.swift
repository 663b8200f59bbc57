import NestedRecords
import TestSupport
import Testing

@Suite struct IgnoredPropertiesTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    struct Model: RecordCodable, Equatable {
        var recordName: String { "model" }
        var kept = 1
        var optional: Int? = 2
        var withDefault: Int { 3 }
        var leaf: Leaf? = Leaf(id: 1)
        var leaves: [String: [Leaf]]? = ["a": [Leaf(id: 2)]]
        static let schema = RecordSchema(ignoring: ["optional", "leaf", "leaves"])
    }

    @Test func ignoredPropertiesJoinNeitherFieldsNorRecords() throws {
        let graph = try RecordEncoder().encode(Model())
        #expect(graph.map(\.id.description) == ["Model/model"])
        #expect(graph[0].fields == ["kept": .int(1)])
    }

    @Test func ignoredPropertiesAreAbsentWhateverTheRecordHolds() throws {
        let record = try Record(
            id: Record.ID("Model/model"),
            fields: ["kept": .int(1), "optional": .int(9), "leaf": .string("wrong kind"), "leaves": .int(1)])
        let model = try RecordDecoder().decode(Model.self, from: RecordGraph([record]))
        #expect(model == Model(kept: 1, optional: nil, leaf: nil, leaves: nil))
    }

    struct Required: RecordCodable {
        var recordName: String { "required" }
        var secret: Int
        static let schema = RecordSchema(ignoring: ["secret"])
    }

    @Test func requiredIgnoredPropertySaysThatItIsIgnored() throws {
        let graph = try RecordEncoder().encode(Required(secret: 1))
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Required.self, from: graph) }
                == CodingFailure(.keyNotFound("secret"), "", "Required/required, field 'secret'"))
    }

    struct Asking: RecordCodable {
        var recordName: String { "asking" }
        var answers: [Bool] = []
        static let schema = RecordSchema(ignoring: ["secret"])
        enum CodingKeys: String, CodingKey { case secret, open }

        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            answers = [container.contains(.secret), container.allKeys.contains(.secret), container.contains(.open)]
            #expect(throws: DecodingError.self) { try container.decodeNil(forKey: .secret) }
            #expect(try container.superDecoder(forKey: .secret).singleValueContainer().decodeNil())
            #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: .secret) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeNil(forKey: .secret)
            var nested = container.nestedUnkeyedContainer(forKey: .secret)
            try nested.encode(Leaf(id: 1))
            var keyed = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .secret)
            try keyed.encode([Leaf(id: 2)], forKey: .open)
            try Leaf(id: 3).encode(to: container.superEncoder(forKey: .secret))
            try container.encode([Leaf(id: 4)], forKey: .secret)
            try container.encode(1, forKey: .open)
        }
    }

    @Test func nestedContainersOfIgnoredPropertiesJoinNothing() throws {
        let graph = try RecordEncoder().encode(Asking())
        #expect(graph.map(\.id.description) == ["Asking/asking"])
        #expect(graph.last?.fields == ["open": .int(1)])
    }

    @Test func everyWayToReadAnIgnoredPropertyFindsNothing() throws {
        let record = try Record(
            id: Record.ID("Asking/asking"), fields: ["secret": .list([.int(1)]), "open": .int(1)])
        let asking = try RecordDecoder().decode(Asking.self, from: RecordGraph([record]))
        #expect(asking.answers == [false, false, true])
    }

    /// Ignored properties may hold what a field cannot.
    enum Way: CaseIterable { case scalar, optional, list, nested, nestedList, superEncoder }

    struct Item: RecordEncodable, Identifiable {
        enum CodingKeys: CodingKey { case id, cache }
        static var schema: RecordSchema { RecordSchema(ignoring: ["cache"]) }
        var id = 1
        var way: Way

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            switch way {
            case .scalar: try container.encode(UInt64.max, forKey: .cache)
            case .optional: try container.encodeIfPresent(Optional(UInt64.max), forKey: .cache)
            case .list: try container.encode([UInt64.max], forKey: .cache)
            case .nested:
                var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .cache)
                try nested.encode(UInt64.max, forKey: .id)
            case .nestedList:
                var nested = container.nestedUnkeyedContainer(forKey: .cache)
                try nested.encode(UInt64.max)
            case .superEncoder:
                var nested = container.superEncoder(forKey: .cache).singleValueContainer()
                try nested.encode(UInt64.max)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func numberBeyondAllFieldsIsIgnored(way: Way) throws {
        #expect(try RecordEncoder().encode(Item(way: way)).map(\.fields) == [["id": .int(1)]])
    }

    class Base: RecordCodable {
        var recordName: String { "class" }
        var open = 1
        var secret: Leaf? = Leaf(id: 1)
        class var schema: RecordSchema { RecordSchema(ignoring: ["secret"]) }

        init() {}
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: BaseKeys.self)
            open = try container.decode(Int.self, forKey: .open)
            secret = try container.decodeIfPresent(Leaf.self, forKey: .secret)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: BaseKeys.self)
            try container.encode(open, forKey: .open)
            try container.encodeIfPresent(secret, forKey: .secret)
        }
    }

    enum BaseKeys: CodingKey { case open, secret }

    /// Hands its own coder to its base class, or one below it, or one below a key of its own.
    final class Derived: Base {
        enum Way: String, Codable, CaseIterable {
            case own, unnamed, named

            func decoder(
                _ own: any Decoder, _ container: KeyedDecodingContainer<CodingKeys>
            ) throws -> any Decoder {
                switch self {
                case .own: own
                case .unnamed: try container.superDecoder()
                case .named: try container.superDecoder(forKey: .base)
                }
            }
        }

        enum CodingKeys: CodingKey { case way, base }
        var way: Way

        init(_ way: Way) {
            self.way = way
            super.init()
        }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            way = try container.decode(Way.self, forKey: .way)
            try super.init(from: way.decoder(decoder, container))
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(way, forKey: .way)
            switch way {
            case .own: try super.encode(to: encoder)
            case .unnamed: try super.encode(to: container.superEncoder())
            case .named: try super.encode(to: container.superEncoder(forKey: .base))
            }
        }
    }

    @Test(arguments: Derived.Way.allCases) func baseClassIgnoresItsProperties(way: Derived.Way) throws {
        func fields(_ base: Record.Fields) -> Record.Fields {
            var fields: Record.Fields = ["way": .string(way.rawValue)]
            switch way {
            case .own: for (name, value) in base { fields[name] = value }
            case .unnamed: fields["super"] = .map(base)
            case .named: fields["base"] = .map(base)
            }
            return fields
        }
        let graph = try RecordEncoder().encode(Derived(way))
        #expect(graph.map(\.fields) == [fields(["open": 1])])
        let record = try Record(id: graph[0].id, fields: fields(["open": 1, "secret": "wrong kind"]))
        #expect(try RecordDecoder().decode(Derived.self, from: RecordGraph([record])).secret == nil)
    }

    @Test func keptEncoderOfAnIgnoredSuperclassWritesNothing() throws {
        final class Keeper: RecordEncodable {
            enum CodingKeys: CodingKey { case base, open }
            static let schema = RecordSchema(ignoring: ["base"])
            var recordName: String { "keeper" }
            var kept: (any Encoder)?

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                kept = container.superEncoder(forKey: .base)
            }
        }
        let keeper = Keeper()
        let graph = try RecordEncoder().encode(keeper)
        for _ in 0..<10 { _ = try RecordEncoder().encode(Derived(.named)) }
        var container = try #require(keeper.kept).container(keyedBy: Keeper.CodingKeys.self)
        try container.encode("late", forKey: .open)
        try container.encodeIfPresent(nil as [Int]?, forKey: .base)
        #expect(graph[0].fields == [:])
        #expect(try RecordEncoder().encode(Keeper())[0].fields == [:])
    }
}

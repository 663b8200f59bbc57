import Foundation
import NestedRecords
import TestSupport
import Testing

/// Ignored properties whose lists say which values they decode to.
@Suite struct IgnoredValuesTests {
    struct Point: Codable, Hashable {
        var x: Int
        var longName: [Int]
    }

    enum Level: String, Codable { case low, high }

    struct Model: RecordCodable, Equatable {
        var recordName: String { "m" }
        var open = 1
        var visits: Int
        var cache: [String]
        var optional: Int?
        var ratio: Double
        var isSeen: Bool
        var level: Level
        var entries: [String: Int]
        var set: Set<Int>
        var point: Point
        var price: Decimal
        var missing: String?
        static let schema = RecordSchema(
            ignoring: [
                "missing", "visits", "cache", "optional", "ratio", "isSeen", "level", "entries", "set", "point",
                "price",
            ],
            defaults: [
                "visits": 7, "cache": ["default"], "optional": 3, "ratio": 0.5, "isSeen": true, "level": "high",
                "entries": ["a": 1], "set": [1, 2], "point": Point(x: 1, longName: [2]), "price": 9.5,
            ])

        static let stored = Model(
            visits: 1, cache: [], optional: 1, ratio: 1, isSeen: false, level: .low, entries: [:], set: [],
            point: Point(x: 0, longName: []), price: 0, missing: "m")
        static let decoded = Model(
            visits: 7, cache: ["default"], optional: 3, ratio: 0.5, isSeen: true, level: .high, entries: ["a": 1],
            set: [1, 2], point: Point(x: 1, longName: [2]), price: 9.5, missing: nil)
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func ignoredPropertiesDecodeToTheirValues(_ strategy: EmbeddingStrategy) async throws {
        let (encoder, decoder) = coders(strategy)
        let graph = try encoder.encode(Model.stored)
        #expect(graph[0].fields == ["open": 1])
        for _ in 1...3 { #expect(try decoder.decode(Model.self, from: graph) == .decoded) }
        let record = try Flat.record("Model/m", ["open": 1, "visits": "wrong kind", "cache": 1, "missing": "m"])
        #expect(try decoder.decode(Model.self, from: RecordGraph([record])) == .decoded)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        #expect(try await decoder.decode(Model.self, named: "m", in: database) == .decoded)
    }

    /// Gives a record to a container, and reads it from its own decoder.
    struct Taking: Codable, Equatable {
        var model: Model

        init(_ model: Model) { self.model = model }
        init(from decoder: any Decoder) throws { model = try Model(from: decoder) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(model)
        }
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func registeredTypesHaveTheirValuesWhereTheyReadADecoder(_ strategy: EmbeddingStrategy) async throws {
        let encoder = coders(strategy).0
        var decoder = coders(strategy).1
        decoder.coding.register(Model.self)
        let graph = try encoder.encode(Holder([Taking(.stored), Taking(.stored)]))
        let expected = [Taking(.decoded), Taking(.decoded)]
        for _ in 1...2 { #expect(try decoder.decode(Holder<[Taking]>.self, from: graph).value == expected) }
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        #expect(try await decoder.decode(Holder<[Taking]>.self, from: graph.roots[0], in: database).value == expected)
    }

    @Test func typesThatAreNotRegisteredSayThatTheyMustBe() throws {
        let graph = try RecordEncoder().encode(Holder(Taking(.stored)))
        let error = #expect(throws: DecodingError.self) {
            try RecordDecoder().decode(Holder<Taking>.self, from: graph)
        }
        #expect(CodingFailure(error)?.kind == .keyNotFound("visits"))
        #expect("\(error as Any)".contains("only if the type is registered with the decoder"))
    }

    struct Inferred: RecordCodable {
        var recordName: String { "i" }
        var visits: Int
        var clicks: Int
        static let schema = RecordSchema(
            ignoring: ["visits", "clicks"], defaults: ["visits": 7, "clicks": 8])
    }

    struct Typed: RecordCodable {
        var recordName: String { "t" }
        var from: Point
        var through: Point
        static let schema = RecordSchema(
            ignoring: ["from", "through"],
            defaults: ["from": Point(x: 1, longName: [1]), "through": Point(x: 2, longName: [])])
    }

    @Test func valuesOfOneTypeNeedNoAnnotation() throws {
        let inferred = try RecordEncoder().encode(Inferred(visits: 1, clicks: 2))
        #expect(inferred[0].fields == [:])
        let decoded = try RecordDecoder().decode(Inferred.self, from: inferred)
        #expect((decoded.visits, decoded.clicks) == (7, 8))
    }

    @Test(arguments: [KeyStrategy.unchanged, .snakeCase])
    func valuesAreEncodableTypes(_ strategy: KeyStrategy) throws {
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = strategy
        let typed = try decoder.decode(Typed.self, from: RecordGraph([Flat.record("Typed/t")]))
        #expect(typed.from == Point(x: 1, longName: [1]))
        #expect(typed.through == Point(x: 2, longName: []))
    }

    struct Wrong: RecordCodable {
        var recordName: String { "w" }
        var visits: Int
        static let schema = RecordSchema(ignoring: ["visits"], defaults: ["visits": "seven"])
    }

    @Test func valueOfAnotherTypeIsRefusedWhereItIsDecoded() throws {
        let failure = CodingFailure.of {
            try RecordDecoder().decode(Wrong.self, from: RecordGraph([Flat.record("Wrong/w")]))
        }
        #expect(failure?.kind == .typeMismatch && failure?.path == "visits")
    }

    struct Refused: RecordCodable {
        var recordName: String { "l" }
        var number: Unstorable
        static let schema = RecordSchema(ignoring: ["number"], defaults: ["number": Unstorable()])
    }

    @Test func valueThatNoFieldHoldsIsRefused() throws {
        let error = try #require(throws: RecordError.self) {
            try RecordDecoder().decode(Refused.self, from: RecordGraph([Flat.record("Refused/l")]))
        }
        #expect(error.description.contains("'defaults' in the schema of the type Refused"))
        #expect(error.description.contains("the value of 'number' cannot be stored"))
    }

    class Base: RecordCodable {
        var recordName: String { "c" }
        var visits = 1
        class var schema: RecordSchema { RecordSchema(ignoring: ["visits"], defaults: ["visits": 7]) }
    }

    final class Derived: Base {
        var own = 2
        enum CodingKeys: CodingKey { case own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            own = try container.decode(Int.self, forKey: .own)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func propertiesOfASuperclassDecodeToTheirValues() throws {
        let graph = try RecordEncoder().encode(Derived())
        #expect(graph[0].fields == ["own": 2, "super": [:]])
        #expect(try RecordDecoder().decode(Derived.self, from: graph).visits == 7)
    }

    struct Asking: RecordCodable {
        var recordName: String { "a" }
        var hasVisits = false
        var keys: [String] = []
        enum CodingKeys: CodingKey { case visits, hidden }
        static let schema = RecordSchema(ignoring: ["hidden", "visits"], defaults: ["visits": [7]])
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            hasVisits = container.contains(.visits)
            keys = container.allKeys.map(\.stringValue)
            #expect(try !container.decodeNil(forKey: .visits))
            var list = try container.nestedUnkeyedContainer(forKey: .visits)
            #expect(try list.decode(Int.self) == 7)
            #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: .hidden) }
        }
        func encode(to encoder: any Encoder) {}
    }

    @Test func everyWayToReadAPropertyFindsItsValue() throws {
        let asking = try RecordDecoder().decode(Asking.self, from: RecordGraph([Flat.record("Asking/a")]))
        #expect(asking.hasVisits)
        #expect(asking.keys == ["visits"])
    }
}

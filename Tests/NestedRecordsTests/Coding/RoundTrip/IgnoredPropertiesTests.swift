import NestedRecords
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
        static let ignoredProperties: Set<String> = ["optional", "leaf", "leaves"]
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
        static let ignoredProperties: Set<String> = ["secret"]
    }

    @Test func requiredIgnoredPropertySaysThatItIsIgnored() throws {
        let graph = try RecordEncoder().encode(Required(secret: 1))
        let error = try #require(throws: DecodingError.self) { try RecordDecoder().decode(Required.self, from: graph) }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(key.stringValue == "secret")
        #expect(context.codingPath.isEmpty)
        #expect(context.debugDescription.contains("'secret' is ignored"))
        #expect(context.debugDescription.contains("Required/required"))
    }

    struct Asking: RecordCodable {
        var recordName: String { "asking" }
        var answers: [Bool] = []
        static let ignoredProperties: Set<String> = ["secret"]
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

    class SharedBase: RecordCodable {
        var recordName: String { "class" }
        var open = 1
        var secret: Leaf? = Leaf(id: 1)
        class var ignoredProperties: Set<String> { ["secret"] }
    }

    final class Sharing: SharedBase {
        var own = 2
        enum CodingKeys: CodingKey { case own }

        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            own = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .own)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: encoder)
        }
    }

    final class Nesting: SharedBase {
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

    @Test func baseClassThatIsHandedTheEncoderIgnoresItsProperties() throws {
        let graph = try RecordEncoder().encode(Sharing())
        #expect(graph.map(\.fields) == [["own": .int(2), "open": .int(1)]])
        #expect(try RecordDecoder().decode(Sharing.self, from: graph).secret == nil)
    }

    @Test func baseClassUnderASuperEncoderIgnoresItsProperties() throws {
        let graph = try RecordEncoder().encode(Nesting())
        #expect(graph.map(\.fields) == [["own": .int(2), "super": .map(["open": .int(1)])]])
        let record = try Record(
            id: graph[0].id,
            fields: ["own": .int(2), "super": .map(["open": .int(1), "secret": .string("wrong kind")])])
        #expect(try RecordDecoder().decode(Nesting.self, from: RecordGraph([record])).secret == nil)
    }
}

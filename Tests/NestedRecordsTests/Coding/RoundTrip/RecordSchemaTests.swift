import Foundation
import NestedRecords
import TestSupport
import Testing

/// Every way to write a type's schema.
@Suite struct RecordSchemaTests {
    struct InArray: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let schema = RecordSchema(ignoring: ["secret"])
    }

    struct Computed: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let schema = RecordSchema(ignoring: Set(["secret", "open"].prefix(1)))
    }

    struct InExtension: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
    }

    class Base: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        class var schema: RecordSchema { RecordSchema(ignoring: ["secret"]) }
    }

    final class Derived: Base {
        override class var schema: RecordSchema { RecordSchema(ignoring: ["secret", "open"]) }
    }

    private func expectHidden<Model: RecordEncodable>(_ value: Model) throws {
        for _ in 1...3 { #expect(try RecordEncoder().encode(value)[0].fields == ["open": 1]) }
    }

    @Test func secretIsNotStoredHoweverTheListIsWritten() throws {
        try expectHidden(InArray())
        try expectHidden(Computed())
        try expectHidden(InExtension())
        try expectHidden(Base())
        #expect(try RecordEncoder().encode(Derived())[0].fields == [:])
    }

    @Test func secretIsNotReadHoweverTheListIsWritten() throws {
        func secret<Model: RecordDecodable>(_ type: Model.Type, _ secret: (Model) -> String?) throws -> String? {
            let record = try Flat.record("\(Model.recordType)/a", ["open": 1, "secret": "stored"])
            return secret(try RecordDecoder().decode(type, from: RecordGraph([record])))
        }
        #expect(try secret(InArray.self, \.secret) == nil)
        #expect(try secret(Computed.self, \.secret) == nil)
        #expect(try secret(InExtension.self, \.secret) == nil)
        #expect(try secret(Base.self, \.secret) == nil)
    }

    struct Shelf: RecordCodable, Identifiable { var id: String }

    struct Book: RecordCodable {
        var recordName: String { "b" }
        var shelf: RecordLink<Shelf>
        var place = "1.5;2.5"
        static let schema = RecordSchema(locations: ["place"], cascading: ["shelf"])
    }

    @Test func arraysOfLocationAndCascadingPropertiesCount() throws {
        let record = try RecordEncoder().encode(Book(shelf: RecordLink(named: "s")))[0]
        #expect(record.references.map(\.action) == [.deleteSelf])
        #expect(record["place"] == .location(try Location("1.5;2.5")))
    }

    private func expectRefused<Model: RecordCodable>(
        _ value: Model, _ part: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let record = try Flat.record("\(Model.recordType)/\(value.recordName)", ["open": 1, "secret": "stored"])
        let graph = try RecordGraph([record])
        for _ in 1...2 {
            for error in [
                #expect(throws: RecordError.self, sourceLocation: sourceLocation) { try RecordEncoder().encode(value) },
                #expect(throws: RecordError.self, sourceLocation: sourceLocation) {
                    try RecordDecoder().decode(Model.self, from: graph)
                },
            ] {
                #expect(error?.code == .invalidSchema, sourceLocation: sourceLocation)
                #expect(error?.key == part && error?.reason == reason, sourceLocation: sourceLocation)
            }
        }
    }

    // MARK: Normalized properties

    struct IgnoredSpelling: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String?
        static let schema = RecordSchema(ignoring: ["secret"], normalizing: ["secret": { $0.lowercased() }])
    }

    struct DefaultInAnotherSpelling: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret = "s"
        static let schema = RecordSchema(normalizing: ["secret": { $0.lowercased() }], defaults: ["secret": "S"])
    }

    struct NameInAnotherSpelling: RecordCodable, Identifiable {
        var id = "A"
        static let schema = RecordSchema(normalizing: ["id": { $0.lowercased() }])
    }

    @Test func propertiesThatCannotBeNormalizedAreRefused() throws {
        try expectRefused(
            IgnoredSpelling(), "normalizing", "'secret' is not stored as a string: it is ignored, or a location")
        try expectRefused(
            DefaultInAnotherSpelling(), "normalizing", "the default value of 'secret' is 'S', not 's'")
        try expectRefused(
            NameInAnotherSpelling(), "normalizing", "'id' is the name of the record: normalize it in the type of 'id'")
    }

    // MARK: Names that are not coding keys

    struct Misspelt: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let schema = RecordSchema(ignoring: ["secrte"])
    }

    struct Unknown: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String?
        static let schema = RecordSchema(cascading: ["nothing like it"])
    }

    @Test func nameThatIsNotACodingKeyIsRefused() throws {
        let end = "is not one of the type's coding keys"
        try expectRefused(Misspelt(), "ignoring", "'secrte' \(end)")
        try expectRefused(Unknown(), "cascading", "'nothing like it' \(end)")
    }

    struct Outer: RecordCodable {
        var recordName: String { "o" }
        var inner = [Misspelt()]
    }

    @Test func nameOfAContainedTypeIsRefusedAsWell() throws {
        #expect(throws: RecordError.self) { try RecordEncoder().encode(Outer()) }
    }

    @Test func namesAreCheckedWithEveryStrategy() throws {
        for strategy in [KeyStrategy.unchanged, .snakeCase, .custom { "x_" + $0 }] {
            for embedding in [EmbeddingStrategy.map, .flattened()] {
                let (encoder, _) = coders(embedding, keys: strategy)
                #expect(try encoder.encode(CamelCase()).count == 1)
                #expect(throws: RecordError.self) { try encoder.encode(Misspelt()) }
            }
        }
    }

    struct CamelCase: RecordCodable {
        var recordName: String { "a" }
        var openValue = 1
        var secretValue: String? = "s"
        static let schema = RecordSchema(ignoring: ["secretValue"])
    }

    // MARK: No false errors

    struct Dynamic: RecordCodable {
        var recordName: String { "a" }
        static let schema = RecordSchema(ignoring: ["whatever"])
        init() {}
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: FreeKey.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: FreeKey.self)
            try container.encode(1, forKey: FreeKey("open"))
            try container.encode(1, forKey: FreeKey("whatever"))
        }
    }

    struct Single: RecordCodable {
        var recordName: String { "a" }
        static let schema = RecordSchema(ignoring: ["whatever"])
        init() {}
        init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    final class WithSuper: Base {
        enum CodingKeys: CodingKey { case own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _ = try container.decode(Int.self, forKey: .own)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(2, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    final class WithoutSuper: Base {
        enum CodingKeys: CodingKey { case own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .own)
            super.init()
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(2, forKey: .own)
        }
    }

    enum Choice: RecordCodable {
        var recordName: String { "a" }
        case open(Int), secret(String)
        static let schema = RecordSchema(ignoring: ["secret"])
    }

    @Test func namesThatMayBeKeysAreNotRefused() throws {
        func take<Model: RecordCodable>(_ value: Model, _ fields: Record.Fields) throws {
            for _ in 1...2 {
                let graph = try RecordEncoder().encode(value)
                #expect(graph[0].fields == fields)
                _ = try RecordDecoder().decode(Model.self, from: graph)
            }
        }
        try take(Dynamic(), ["open": 1])
        try take(Single(), ["$value": 1])
        try take(WithSuper(), ["own": 2, "super": ["open": 1]])
        try take(WithoutSuper(), ["own": 2])
        try take(Choice.open(1), ["open": ["_0": 1]])
    }

    struct Migrated: RecordCodable, Identifiable, Equatable {
        var id: String
        var name: String
        var cache: String?
        static let schema = RecordSchema(ignoring: ["cache"])

        enum CodingKeys: CodingKey {
            case id, name, cache
        }

        enum LegacyKeys: CodingKey {
            case id, title
        }

        init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        init(from decoder: any Decoder) throws {
            let old = try decoder.container(keyedBy: LegacyKeys.self)
            if let title = try old.decodeIfPresent(String.self, forKey: .title) {
                self.init(id: try old.decode(String.self, forKey: .id), name: title)
            } else {
                let new = try decoder.container(keyedBy: CodingKeys.self)
                self.init(
                    id: try new.decode(String.self, forKey: .id), name: try new.decode(String.self, forKey: .name))
            }
        }
    }

    @Test func keysOfAnOlderFormNeedNotHaveAnIgnoredProperty() throws {
        let graph = try RecordGraph([Flat.record("Migrated/m", ["id": "m", "title": "old"])])
        #expect(try RecordDecoder().decode(Migrated.self, from: graph) == Migrated(id: "m", name: "old"))
    }
}

extension RecordSchemaTests.InExtension {
    static let schema = RecordSchema(ignoring: ["secret"])
}

import Foundation
import NestedRecords
import TestSupport
import Testing

/// Every way to write the list of a type's ignored, location or cascading properties.
@Suite struct PropertyListTests {
    struct InArray: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let ignoredProperties = ["secret"]
    }

    struct InSet: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let ignoredProperties: Set = ["secret"]
    }

    struct InLiteral: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let ignoredProperties: IgnoredProperties = ["secret"]
    }

    struct AsKeys: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        enum CodingKeys: CodingKey { case open, secret }
        static let ignoredProperties: [CodingKeys] = [.secret]
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
        class var ignoredProperties: [String] { ["secret"] }
    }

    final class Derived: Base {
        override class var ignoredProperties: [String] { super.ignoredProperties + ["open"] }
    }

    private func expectHidden<Model: RecordEncodable>(_ value: Model) throws {
        for _ in 1...3 { #expect(try RecordEncoder().encode(value)[0].fields == ["open": 1]) }
    }

    @Test func secretIsNotStoredHoweverTheListIsWritten() throws {
        try expectHidden(InArray())
        try expectHidden(InSet())
        try expectHidden(InLiteral())
        try expectHidden(AsKeys())
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
        #expect(try secret(InSet.self, \.secret) == nil)
        #expect(try secret(InLiteral.self, \.secret) == nil)
        #expect(try secret(AsKeys.self, \.secret) == nil)
        #expect(try secret(InExtension.self, \.secret) == nil)
        #expect(try secret(Base.self, \.secret) == nil)
    }

    struct Shelf: RecordCodable, Identifiable { var id: String }

    struct Book: RecordCodable {
        var recordName: String { "b" }
        var shelf: RecordLink<Shelf>
        var place = "1.5;2.5"
        static let cascadingProperties = ["shelf"]
        static let locationProperties = ["place"]
    }

    @Test func arraysOfLocationAndCascadingPropertiesCount() throws {
        let record = try RecordEncoder().encode(Book(shelf: RecordLink(named: "s")))[0]
        #expect(record.references.map(\.action) == [.deleteSelf])
        #expect(record["place"] == .location(try Location("1.5;2.5")))
    }

    // MARK: Lists that cannot be understood

    struct AsString: RecordCodable {
        var recordName: String { "a" }
        var secret: String? = "s"
        static let ignoredProperties = "secret"
    }

    struct AsOptional: RecordCodable {
        var recordName: String { "a" }
        var secret: String? = "s"
        static let ignoredProperties: Set<String>? = nil
    }

    struct AsNumbers: RecordCodable {
        var recordName: String { "a" }
        var secret: String? = "s"
        static let ignoredProperties = [1]
    }

    struct ValueOfLocation: RecordCodable {
        var recordName: String { "a" }
        var secret: String? = "s"
        static let locationProperties = ["secret": 1]
    }

    private func expectRefused<Model: RecordCodable>(
        _ value: Model, _ list: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
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
                #expect(error?.code == .invalidPropertyList, sourceLocation: sourceLocation)
                #expect(error?.propertyList == list && error?.reason == reason, sourceLocation: sourceLocation)
            }
        }
    }

    @Test func listThatIsNoListOfNamesIsRefused() throws {
        try expectRefused(AsString(), "ignoredProperties", "String is not a list of names")
        try expectRefused(AsOptional(), "ignoredProperties", "Optional<Set<String>> is not a list of names")
        try expectRefused(AsNumbers(), "ignoredProperties", "Array<Int> is not a list of names")
        try expectRefused(ValueOfLocation(), "locationProperties", "only ignored properties have values")
    }

    // MARK: Names that are no coding keys

    struct Misspelt: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String? = "s"
        static let ignoredProperties = ["secrte"]
    }

    struct Unknown: RecordCodable {
        var recordName: String { "a" }
        var open = 1
        var secret: String?
        static let cascadingProperties: Set = ["nothing like it"]
    }

    @Test func nameThatIsNoCodingKeyIsRefused() throws {
        let end = "is not one of the type's coding keys"
        try expectRefused(Misspelt(), "ignoredProperties", "'secrte' \(end): did you mean 'secret'?")
        try expectRefused(Unknown(), "cascadingProperties", "'nothing like it' \(end)")
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
                var encoder = RecordEncoder()
                (encoder.keyStrategy, encoder.embeddingStrategy) = (strategy, embedding)
                #expect(try encoder.encode(CamelCase()).count == 1)
                #expect(throws: RecordError.self) { try encoder.encode(Misspelt()) }
            }
        }
    }

    struct CamelCase: RecordCodable {
        var recordName: String { "a" }
        var openValue = 1
        var secretValue: String? = "s"
        static let ignoredProperties = ["secretValue"]
    }

    // MARK: No false errors

    struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    struct Dynamic: RecordCodable {
        var recordName: String { "a" }
        static let ignoredProperties = ["whatever"]
        init() {}
        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: AnyKey.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey(stringValue: "open"))
            try container.encode(1, forKey: AnyKey(stringValue: "whatever"))
        }
    }

    struct Single: RecordCodable {
        var recordName: String { "a" }
        static let ignoredProperties = ["whatever"]
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
        static let ignoredProperties = ["secret"]
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
        static let ignoredProperties = ["cache"]

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

extension PropertyListTests.InExtension {
    static let ignoredProperties: Set<String> = ["secret"]
}

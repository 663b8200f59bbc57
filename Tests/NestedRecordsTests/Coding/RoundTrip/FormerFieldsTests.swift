import Foundation
import NestedRecords
import TestSupport
import Testing

/// Records that earlier forms of a type have stored: fields with other names, and without fields that came later.
@Suite struct FormerFieldsTests {
    private struct Person: RecordCodable, Identifiable, Equatable {
        var id: String
        var fullName: String
        var isActive: Bool
        var tags: [String]
        var note: String?

        static let recordType = "NamedPerson"
        static let schema = RecordSchema(
            defaults: ["isActive": true, "tags": ["new"]], formerNames: ["fullName": ["displayName", "name"]])
    }

    private func decode<Value: RecordDecodable>(
        _ type: Value.Type, _ fields: Record.Fields, decoder: RecordDecoder = RecordDecoder(), recordType: String? = nil
    ) throws -> Value {
        let record = try Record(id: Record.ID(type: recordType ?? Value.recordType, name: "a"), fields: fields)
        return try decoder.decode(type, from: RecordGraph([record]))
    }

    @Test func formerFieldIsReadWhereThePresentOneIsMissing() throws {
        let person = try decode(Person.self, ["id": "a", "name": "Ann", "isActive": false, "tags": []])
        #expect(person == Person(id: "a", fullName: "Ann", isActive: false, tags: []))
    }

    @Test func presentFieldIsReadWhereBothAreThere() throws {
        let fields: Record.Fields = ["id": "a", "name": "Ann", "displayName": "A.", "fullName": "Ann Lee"]
        #expect(try decode(Person.self, fields).fullName == "Ann Lee")
    }

    @Test func firstFormerNameIsReadFirst() throws {
        #expect(try decode(Person.self, ["id": "a", "name": "Ann", "displayName": "A."]).fullName == "A.")
    }

    @Test func missingFieldHasItsDefault() throws {
        let person = try decode(Person.self, ["id": "a", "fullName": "Ann"])
        #expect(person.isActive && person.tags == ["new"] && person.note == nil)
    }

    @Test func nullIsNotMissing() throws {
        let failure = CodingFailure.of { try decode(Person.self, ["id": "a", "fullName": "Ann", "isActive": .null]) }
        #expect(failure?.kind == .valueNotFound)
    }

    @Test func presentNamesAreWritten() throws {
        let graph = try RecordEncoder().encode(Person(id: "a", fullName: "Ann", isActive: true, tags: []))
        #expect(graph[0].fields.map(\.name) == ["id", "fullName", "isActive", "tags"])
    }

    @Test func recordsOfSeveralFormsAreReadInOneCall() throws {
        struct Club: RecordCodable, Identifiable {
            var id: String
            var members: [Person]
        }
        let forms: [Record.Fields] = [
            ["id": "0", "name": "n0"], ["id": "1", "fullName": "n1", "isActive": false],
            ["displayName": "n2", "id": "2"],
            ["id": "3", "name": "n3"], ["id": "4", "tags": [], "name": "n4"], ["id": "5", "fullName": "n5"],
        ]
        let records = try forms.enumerated().map { try Record(id: Record.ID("NamedPerson/\($0)"), fields: $1) }
        let references = records.map { Record.Value.reference(Record.Reference(to: $0.id)) }
        let club = try Record(id: Record.ID("Club/c"), fields: ["id": "c", "members": .list(references + references)])
        let members = try RecordDecoder().decode(Club.self, from: RecordGraph(records + [club])).members
        #expect(members.map(\.fullName) == (0..<6).map { "n\($0)" } + (0..<6).map { "n\($0)" })
        #expect(members.prefix(6).map(\.isActive) == [true, false, true, true, true, true])
        #expect(members.prefix(6).map(\.tags.count) == [1, 1, 1, 1, 0, 1])
    }

    @Test func missingFieldIsNamedWithItsFormerNames() throws {
        let error = #expect(throws: DecodingError.self) { try decode(Person.self, ["id": "a"]) }
        #expect(CodingFailure(error)?.kind == .keyNotFound("fullName"))
        #expect("\(error as Any)".contains("no field 'fullName', and no 'displayName', and no 'name'; declare a"))
    }

    // MARK: Names of fields

    @Test(
        arguments: [
            ["full_name": "Ann"], ["display_name": "Ann"], ["displayName": "Ann"], ["name": "Ann"],
        ] as [Record.Fields])
    func formerNamesAreThoseOfPropertiesOrOfFields(_ fields: Record.Fields) throws {
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = .snakeCase
        var fields = fields
        fields["id"] = "a"
        #expect(try decode(Person.self, fields, decoder: decoder).fullName == "Ann")
    }

    private struct Parcel: RecordCodable, Identifiable, Equatable {
        struct Size: Codable, Equatable { var width: Int, height: Int }
        var id: String
        var size: Size
        var dimensionsNote: String?

        static let recordType = "SizedParcel"
        static let schema = RecordSchema(formerNames: ["size": ["dimensions"]])
    }

    @Test func embeddedValueHasAFormerName() throws {
        let fields: Record.Fields = ["id": "a", "dimensions": .map(["width": 3, "height": 4])]
        #expect(try decode(Parcel.self, fields) == Parcel(id: "a", size: .init(width: 3, height: 4)))
    }

    @Test func flattenedValueHasAFormerName() throws {
        var decoder = RecordDecoder()
        decoder.coding.embeddingStrategy = .flattened()
        decoder.coding.keyStrategy = .snakeCase
        let fields: Record.Fields = [
            "id": "a", "dimensions_width": 3, "dimensions_height": 4, "dimensions_note": "no part",
        ]
        let parcel = try decode(Parcel.self, fields, decoder: decoder)
        #expect(parcel == Parcel(id: "a", size: .init(width: 3, height: 4), dimensionsNote: "no part"))
    }

    /// A separator and a mark after it are one character.
    private struct MarkedParcel: RecordCodable, Identifiable, Equatable {
        struct Size: Codable, Equatable {
            var width: Int
            enum CodingKeys: String, CodingKey { case width = "\u{301}w" }
        }
        var id: String
        var size: Size
        static let recordType = "MarkedParcel"
        static let schema = RecordSchema(defaults: ["size": Size(width: 1)], formerNames: ["size": ["dimensions"]])
    }

    @Test(arguments: ["dimensions_\u{301}w", "size_\u{301}w"])
    func partThatBeginsWithAMarkBelongsToItsValue(_ field: String) throws {
        var decoder = RecordDecoder()
        decoder.coding.embeddingStrategy = .flattened()
        #expect(try decode(MarkedParcel.self, ["id": "a", field: 3], decoder: decoder).size.width == 3)
    }

    @Test func embeddedValueHasADefault() throws {
        struct Box: RecordCodable, Identifiable {
            struct Size: Codable, Equatable { var width: Int, topHeight: Int }
            var id: String
            var size: Size
            static var schema: RecordSchema { RecordSchema(defaults: ["size": Size(width: 1, topHeight: 2)]) }
        }
        #expect(try decode(Box.self, ["id": "a"]).size == .init(width: 1, topHeight: 2))
        var decoder = RecordDecoder()
        decoder.coding.embeddingStrategy = .flattened()
        decoder.coding.keyStrategy = .snakeCase
        #expect(try decode(Box.self, ["id": "a"], decoder: decoder).size == .init(width: 1, topHeight: 2))
        let stored: Record.Fields = ["id": "a", "size_width": 5, "size_top_height": 6]
        #expect(try decode(Box.self, stored, decoder: decoder).size == .init(width: 5, topHeight: 6))
    }

    // MARK: Superclasses, and types that write themselves

    private class Animal: RecordCodable, Identifiable {
        var id: String
        var name: String
        init(id: String, name: String) { (self.id, self.name) = (id, name) }
        class var schema: RecordSchema { RecordSchema(formerNames: ["name": ["title"]]) }
    }

    private final class Cat: Animal {
        var lives: Int
        init(id: String, name: String, lives: Int) {
            self.lives = lives
            super.init(id: id, name: name)
        }
        private enum CodingKeys: CodingKey { case lives }
        required init(from decoder: any Decoder) throws {
            lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
            try super.init(from: decoder)
        }
        override class var schema: RecordSchema { RecordSchema(formerNames: ["name": ["title"], "lives": ["count"]]) }
    }

    @Test func propertiesOfSuperclassesHaveFormerNames() throws {
        let cat = try decode(Cat.self, ["id": "a", "title": "Tom", "count": 9])
        #expect(cat.name == "Tom" && cat.lives == 9)
    }

    @Test func allKeysAreThePresentOnes() throws {
        struct Bag: RecordCodable, Identifiable {
            enum CodingKeys: String, CodingKey, CaseIterable { case id, name, size }
            var id: String
            var keys: [String]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(String.self, forKey: .id)
                keys = container.allKeys.map(\.stringValue).sorted()
            }
            func encode(to encoder: any Encoder) throws {}
            static let schema = RecordSchema(defaults: ["size": 3], formerNames: ["name": ["title"]])
        }
        #expect(try decode(Bag.self, ["id": "a", "title": "x"]).keys == ["id", "name", "size"])
    }

    // MARK: Lists that are not valid

    @Test func misspeltNameIsAnError() throws {
        struct Wrong: RecordCodable, Identifiable {
            var id: String
            var name: String?
            static let schema = RecordSchema(formerNames: ["Name": ["title"]])
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Wrong(id: "a")) }
        #expect(error?.code == .invalidSchema && error?.key == "formerNames")
        #expect(error?.reason == "'Name' is not one of the type's coding keys")
        #expect(throws: RecordError.self) { try decode(Wrong.self, ["id": "a"]) }
    }

    @Test func misspeltDefaultIsAnError() throws {
        struct Wrong: RecordCodable, Identifiable {
            var id: String
            var visits: Int?
            static let schema = RecordSchema(defaults: ["visit": 7])
        }
        let error = #expect(throws: RecordError.self) { try decode(Wrong.self, ["id": "a"]) }
        #expect(error?.reason == "'visit' is not one of the type's coding keys")
    }

    @Test func formerNameThatIsAPropertyIsAnError() throws {
        struct Wrong: RecordCodable, Identifiable {
            var id: String
            var name: String
            var title: String?
            static let schema = RecordSchema(formerNames: ["name": ["title"]])
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Wrong(id: "a", name: "x")) }
        #expect(error?.reason == "'title' is a property, so it cannot be a former name of 'name'")
    }

    @Test func formerNameOfTwoPropertiesIsAnError() throws {
        struct Wrong: RecordCodable, Identifiable {
            var id: String
            var name: String?
            static let schema = RecordSchema(formerNames: ["id": ["key"], "name": ["title", "key"]])
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Wrong(id: "a")) }
        #expect(error?.reason == "'key' is a former name of 'id' and of 'name'")
    }
}

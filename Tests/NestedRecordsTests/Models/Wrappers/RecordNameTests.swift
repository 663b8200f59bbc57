import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RecordNameTests {
    struct Person: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
    }

    struct Numbered<Number: Codable & LosslessStringConvertible & Hashable>: RecordCodable, Identifiable, Equatable {
        static var recordType: String { "Numbered" }
        @RecordName var id: Number
    }

    struct Unique: RecordCodable, Identifiable, Equatable {
        @RecordName var id: UUID
    }

    enum Room: String, Codable {
        case hall = "the hall"
        case attic
    }

    struct Place: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Room
    }

    @Test func nameIsNoField() async throws {
        let person = Person(id: "ada", name: "Ada")
        let graph = try RecordEncoder().encode(person)
        #expect(graph.map(\.description) == ["Person/ada\n    name: \"Ada\""])
        try await RoundTripCheck()(person)
    }

    @Test func everyKindOfNameComesBack() async throws {
        try await RoundTripCheck()(Numbered(id: -7))
        try await RoundTripCheck()(Numbered(id: UInt64.max))
        try await RoundTripCheck()(Numbered(id: "a/b é"))
        try await RoundTripCheck()(Unique(id: UUID()))
        try await RoundTripCheck()(Place(id: .hall))
        #expect(try RecordEncoder().encode(Place(id: .hall))[0].id.name == "the hall")
    }

    @Test func fieldOfTheSameNameIsNotRead() throws {
        let graph = try RecordGraph([Flat.record("Person/ada", ["id": "eve", "name": "Ada"])])
        #expect(try RecordDecoder().decode(Person.self, from: graph).id == "ada")
    }

    @Test func nameThatDoesNotFitTheTypeIsAnError() throws {
        let graph = try RecordGraph([Flat.record("Numbered/seven")])
        let error = try #require(throws: DecodingError.self) {
            try RecordDecoder().decode(Numbered<Int>.self, from: graph)
        }
        guard case .typeMismatch(let type, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(type is Int.Type)
        #expect(context.codingPath.map(\.stringValue) == ["id"])
        #expect(
            context.debugDescription
                == "the record's name 'seven' is not the text of any Int, in record Numbered/seven, field 'id'")
    }

    @Test func nameInAnotherSpellingIsRefused() throws {
        let graph = try RecordGraph([Flat.record("Numbered/007")])
        let error = try #require(throws: DecodingError.self) {
            try RecordDecoder().decode(Numbered<Int>.self, from: graph)
        }
        #expect("\(error)".contains("the record's name '007' is not the text of any Int, in record Numbered/007"))
    }

    struct Renamed: RecordCodable, Equatable {
        @RecordName var id: String
        var recordName: String { "person-\(id)" }
    }

    @Test func propertyThatIsNotTheNameIsRefused() {
        #expect {
            try RecordEncoder().encode(Renamed(id: "ada"))
        } throws: { error in
            guard let error = error as? RecordError, error.code == .invalidKey, error.key == "id",
                let reason = error.reason, case let place = error.context
            else { return false }
            return reason == "it stands for the record's name, 'person-ada', but holds 'ada'"
                && place.record?.description == "Renamed/person-ada"
        }
    }

    struct Badge: Codable, Equatable {
        @RecordName var id: Int
    }

    struct Member: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var badge: Badge
        var former: Badge?
        var others: [Badge]
        var byYear: [String: Badge]
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func namesInEmbeddedValuesAreFields(_ strategy: EmbeddingStrategy) throws {
        let member = Member(
            id: "ada", badge: Badge(id: 1), former: Badge(id: 2), others: [Badge(id: 3)], byYear: ["x": Badge(id: 4)])
        var encoder = RecordEncoder()
        encoder.embeddingStrategy = strategy
        var decoder = RecordDecoder()
        decoder.embeddingStrategy = strategy
        let graph = try encoder.encode(member)
        #expect(graph[0]["id"] == nil)
        #expect(graph[0]["others"] == [["id": 3]])
        #expect(try decoder.decode(Member.self, from: graph) == member)
    }

    class Animal: RecordCodable, Identifiable {
        @RecordName var id: String
        init(id: String) { self.id = id }
    }

    final class Cat: Animal {
        var lives: Int
        init(id: String, lives: Int) {
            self.lives = lives
            super.init(id: id)
        }
        enum CodingKeys: CodingKey { case lives }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            lives = try container.decode(Int.self, forKey: .lives)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lives, forKey: .lives)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func nameUnderSuperIsTheRecordsName(_ strategy: EmbeddingStrategy) throws {
        var encoder = RecordEncoder()
        encoder.embeddingStrategy = strategy
        var decoder = RecordDecoder()
        decoder.embeddingStrategy = strategy
        let graph = try encoder.encode(Cat(id: "tom", lives: 9))
        #expect(graph[0].fields == ["lives": 9, "super": [:]])
        let cat = try decoder.decode(Cat.self, from: graph)
        #expect(cat.id == "tom")
        #expect(cat.lives == 9)
    }

    @Test func jsonHasThePlainValue() throws {
        let data = try JSONEncoder().encode(Person(id: "ada", name: "Ada"))
        let object = try JSONDecoder().decode([String: String].self, from: data)
        #expect(object == ["id": "ada", "name": "Ada"])
        #expect(try JSONDecoder().decode(Person.self, from: data).id == "ada")
    }
}

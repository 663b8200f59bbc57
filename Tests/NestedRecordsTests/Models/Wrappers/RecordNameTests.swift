import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RecordNameTests {
    struct Person: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
    }

    struct Numbered<Number: Codable & RecordNameConvertible & Hashable>: RecordCodable, Identifiable, Equatable {
        static var recordType: String { "Numbered" }
        @RecordName var id: Number
    }

    struct Unique: RecordCodable, Identifiable, Equatable {
        @RecordName var id: UUID
    }

    enum Room: String, Codable, RecordNameConvertible {
        case hall = "the hall"
        case attic
    }

    struct Place: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Room
    }

    @Test func nameIsNotAField() async throws {
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

    @Test func nameIsReadWhateverTheFieldHolds() throws {
        let fields: [Record.Fields] = [["text": "a"], ["text": "a", "id": .null], ["text": "a", "id": "eve"]]
        for fields in fields {
            let graph = try RecordGraph([Record(id: Record.ID("Note/ada"), fields: fields)])
            #expect(try RecordDecoder().decode(Note.self, from: graph) == Note(id: "ada", text: "a"))
        }
    }

    @Test(arguments: ["seven", "007"]) func nameThatDoesNotFitTheTypeIsAnError(name: String) throws {
        let graph = try RecordGraph([Flat.record("Numbered/\(name)")])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Numbered<Int>.self, from: graph) }
                == CodingFailure(.typeMismatch, "id", "Numbered/\(name), field 'id'"))
    }

    struct Renamed: RecordCodable, Equatable {
        @RecordName var id: String
        var recordName: String { "person-\(id)" }
    }

    @Test func propertyThatIsNotTheNameIsRefused() {
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Renamed(id: "ada")) }
        #expect(error?.code == .invalidKey && error?.key == "id")
        #expect(error?.reason == "the property with @RecordName is 'ada', but the record's name is 'person-ada'")
        #expect(error?.context.record?.description == "Renamed/person-ada")
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
        let (encoder, decoder) = coders(strategy)
        let graph = try encoder.encode(member)
        #expect(graph[0]["id"] == nil)
        #expect(graph[0]["others"] == [["id": 3]])
        #expect(try decoder.decode(Member.self, from: graph) == member)
    }

    class Animal: RecordCodable {
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
        let (encoder, decoder) = coders(strategy)
        let graph = try encoder.encode(Cat(id: "tom", lives: 9))
        #expect(graph.map(\.id.description) == ["Cat/tom"])
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

    // MARK: Types without a name of their own

    struct Isbn: RawRepresentable, Codable, Hashable, RecordNameConvertible {
        var rawValue: Int
    }

    struct Volume: RecordCodable, Equatable {
        var title: String
        var badge = Badge(id: 5)
        @RecordName var isbn: Isbn
    }

    @Test func propertyNamesARecordThatIsNotIdentifiable() async throws {
        let volume = Volume(title: "Lanterns", isbn: Isbn(rawValue: 978))
        #expect(volume.recordName == "978")
        #expect(try Record.ID(of: volume).description == "Volume/978")
        let graph = try RecordEncoder().encode([volume, volume])
        #expect(graph.map(\.id.description) == ["Volume/978"])
        #expect(graph[0].fields == ["title": "Lanterns", "badge": ["id": 5]])
        try await RoundTripCheck()(volume)
    }

    struct ReadOnly: RecordDecodable {
        static let recordType = "Volume"
        var title: String
        @RecordName var isbn: Int
    }

    @Test func typeThatIsOnlyDecodedTakesTheName() throws {
        let graph = try RecordGraph([Flat.record("Volume/12", ["title": "x"])])
        #expect(try RecordDecoder().decode(ReadOnly.self, from: graph).isbn == 12)
    }

    struct Nameless: RecordCodable {
        var badge = Badge(id: 1)
        var badges = [Badge(id: 2)]
    }

    struct EmptyName: RecordCodable {
        @RecordName var id: String
    }

    @Test func typeWithoutANameIsAnErrorThatSaysWhatIsMissing() {
        let nameless = #expect(throws: RecordError.self) {
            try RecordEncoder().encode(NamelessHolder(child: Nameless()))
        }
        #expect(nameless?.code == .invalidID && nameless?.recordType == "Nameless")
        #expect(nameless?.reason == "'recordName' is empty, and no property is marked with @RecordName")
        #expect(nameless?.context.codingPath.text == "child")
        let empty = #expect(throws: RecordError.self) { try RecordEncoder().encode(EmptyName(id: "")) }
        #expect(empty?.code == .invalidID && empty?.reason == "the name is empty")
    }

    struct NamelessHolder: RecordEncodable {
        var recordName: String { "h" }
        var child: Nameless
    }

    // MARK: Names that are made

    struct Note: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String? = nil
        var text: String
    }

    struct Sheet: RecordCodable, Equatable {
        var text = ""
        @RecordName var key: UUID? = nil
    }

    struct Pad: RecordCodable, Identifiable, Equatable {
        var id: Int
        var notes: [Note]
        var sheet: Sheet?
    }

    private func isUUID(_ name: String) -> Bool { UUID(uuidString: name)?.uuidString == name }

    @Test func nilBecomesAUUIDThatReadingGivesBack() async throws {
        let graph = try RecordEncoder().encode(Note(text: "a"))
        #expect(isUUID(graph.roots[0].name))
        #expect(graph[0].fields == ["text": "a"])
        let decoded = try RecordDecoder().decode(Note.self, from: graph)
        #expect(decoded == Note(id: graph.roots[0].name, text: "a"))
        #expect(try RecordEncoder().encode(decoded) == graph)

        let database = InMemoryRecordDatabase()
        var note = try await database.values.overwrite(Note(text: "b")).value
        let id = try #require(note.id)
        note.text = "c"
        try await database.values.overwrite(note)
        #expect(try await database.values.fetch(Note.self, named: id).value == Note(id: id, text: "c"))
    }

    @Test func nilIsFilledInRecordsThatAreNotIdentifiable() throws {
        let graph = try RecordEncoder().encode(Pad(id: 1, notes: [], sheet: Sheet(text: "s")))
        let pad = try RecordDecoder().decode(Pad.self, from: graph)
        let key = try #require(pad.sheet?.key)
        #expect(graph.map(\.id.description) == ["Sheet/\(key.uuidString)", "Pad/1"])
    }

    @Test func eachValueWithoutANameIsARecordOfItsOwn() throws {
        let note = Note(text: "a")
        let pad = Pad(id: 1, notes: [note, note, Note(id: "b", text: "b")])
        let graph = try RecordEncoder().encode(pad)
        let names = graph.map(\.id.name)
        #expect(Set(names).count == 4)
        #expect(names[2...] == ["b", "1"])
        #expect(try RecordDecoder().decode(Pad.self, from: graph).notes.map(\.text) == ["a", "a", "b"])
        let again = try RecordEncoder().encode(pad)
        #expect(Set(names).intersection(again.map(\.id.name)) == ["b", "1"])
    }

    final class Author: RecordCodable, Identifiable {
        @RecordName var id: String? = nil
        var next: Author?
    }

    @Test func instanceHasOneMadeNameInAGraph() throws {
        let (one, two) = (Author(), Author())
        (one.next, two.next) = (two, one)
        defer { one.next = nil }
        let graph = try RecordEncoder.allowingCycles.encode([one, two, one])
        #expect(graph.count == 2)
        #expect(graph.roots[0] == graph.roots[2])
        #expect(graph.roots.allSatisfy { isUUID($0.name) })
        #expect(try graph[graph.roots[0]]?["next"] == Flat.reference(graph.roots[1].description))
        // Nothing of one call is left in the next one.
        #expect(try RecordEncoder.allowingCycles.encode(one).roots[0] != graph.roots[0])
    }

    struct Unmarked: RecordCodable, Identifiable {
        var id: String?
    }

    struct TwoNames: RecordCodable, Identifiable {
        @RecordName var id: String?
        @RecordName var other: String?
    }

    @Test func onlyAPropertyThatIsMarkedIsFilled() {
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Unmarked()) }
        #expect(error?.code == .invalidID && error?.recordType == "Unmarked")
        #expect(throws: RecordError.self) { try RecordEncoder().encode(TwoNames(id: nil, other: "x")) }
        #expect(throws: RecordError.self) { try RecordEncoder().encode(TwoNames(id: "x", other: nil)) }
    }

    struct Pocket: Codable, Equatable {
        @RecordName var id: String? = nil
        var coins = 1
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func nilInAnEmbeddedValueStaysNil(_ strategy: EmbeddingStrategy) throws {
        let (encoder, decoder) = coders(strategy)
        let graph = try encoder.encode(Holder(Pocket()))
        #expect(try decoder.decode(Holder<Pocket>.self, from: graph) == Holder(Pocket()))
    }

    @Test func jsonHasNullOrNothing() throws {
        let data = try JSONEncoder().encode(Note(text: "a"))
        #expect(try JSONDecoder().decode(Note.self, from: data) == Note(text: "a"))
        #expect(try JSONDecoder().decode(Note.self, from: Data(#"{"text":"a"}"#.utf8)) == Note(text: "a"))
    }
}

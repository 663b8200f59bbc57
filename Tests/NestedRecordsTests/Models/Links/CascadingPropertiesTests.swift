import NestedRecords
import TestSupport
import Testing

@Suite struct CascadingPropertiesTests {
    struct Shelf: RecordCodable, Identifiable, Equatable {
        var id: String
    }

    struct Box: Codable, Equatable {
        var shelf: RecordLink<Shelf>
        var label: String
    }

    struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var shelf: RecordLink<Shelf>?
        var home: Shelf?
        var copies: [RecordLink<Shelf>] = []
        var box: Box?
        var other: RecordLink<Shelf>?
        static let schema = RecordSchema(cascading: ["shelf", "home", "copies", "box"])
    }

    private static func book() throws -> Book {
        let link = try RecordLink<Shelf>(named: "a")
        return Book(
            id: 1, shelf: link, home: Shelf(id: "b"), copies: [link, link], box: Box(shelf: link, label: "x"),
            other: link)
    }

    @Test func referencesTakeTheirRecordWithThem() async throws {
        let book = try Self.book()
        let record = try #require(try RecordEncoder().encode(book).last)
        let actions = record.references.map { "\($0.id) \($0.action) \($0.isLink)" }
        #expect(
            actions == [
                "Shelf/a deleteSelf true", "Shelf/b deleteSelf false", "Shelf/a deleteSelf true",
                "Shelf/a deleteSelf true", "Shelf/a deleteSelf true", "Shelf/a none true",
            ])
        try await RoundTripCheck()(book)
    }

    @Test func nilIsLeftOut() throws {
        #expect(try RecordEncoder().encode(Book(id: 1))[0].fields == ["id": 1, "copies": []])
    }

    @Test(arguments: [KeyStrategy.unchanged, .snakeCase], [EmbeddingStrategy.map, .flattened()])
    func strategiesChangeNothing(_ keys: KeyStrategy, _ embedding: EmbeddingStrategy) throws {
        let (encoder, _) = coders(embedding, keys: keys)
        let record = try #require(try encoder.encode(Self.book()).last)
        let cascading = record.references.filter { $0.action == .deleteSelf }
        #expect(cascading.count == 5)
    }

    struct Wrong: RecordCodable, Identifiable {
        var id: Int
        var shelf: String
        static let schema = RecordSchema(cascading: ["shelf"])
    }

    @Test func propertyWithoutReferencesIsRefused() throws {
        #expect(
            CodingFailure.of { try RecordEncoder().encode(Wrong(id: 1, shelf: "a")) }
                == CodingFailure(.invalidValue, "shelf", "Wrong/1, field 'shelf'"))
    }

    class Item: RecordCodable, Identifiable {
        var id: Int
        var owner: RecordLink<Shelf>
        class var schema: RecordSchema { RecordSchema(cascading: ["owner"]) }
        init(id: Int, owner: RecordLink<Shelf>) {
            self.id = id
            self.owner = owner
        }
    }

    final class Lamp: Item {
        var watts = 5
        enum CodingKeys: CodingKey { case watts }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(watts, forKey: .watts)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func propertiesOfTheSuperclassCount() throws {
        let record = try RecordEncoder().encode(Lamp(id: 1, owner: RecordLink(named: "a")))[0]
        #expect(record.id.description == "Lamp/1")
        #expect(record.references.map(\.action) == [.deleteSelf])
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct FlattenedCostTests {
    struct Owner: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
    }

    struct Book: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var cover: String
    }

    struct Shelf: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var books: [Book]
    }

    @Test func fieldThatNoPropertyReadsIsNotFollowed() async throws {
        let book = try Flat.record("Book/1", ["cover": "x", "cover_owner": Flat.reference("Owner/1")])
        let shelf = try Flat.record("Shelf/1", ["books": Flat.references(["Book/1"])])
        let database = try await CountingDatabase(holding: [book, shelf, Flat.record("Owner/1")])
        let (_, decoder) = coders(.flattened())
        _ = try await decoder.decode(Shelf.self, named: "1", in: database)
        #expect(database.asked == ["Shelf/1", "Book/1"])
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct DatabaseValuesTests {
    struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var title: String
    }

    let books = (1...5).map { Book(id: $0, title: "\($0)") }

    @Test func valuesAreSavedAndLoadedTogether() async throws {
        let database = InMemoryRecordDatabase(batchLimit: 2)
        try await database.values.overwrite(books)
        let ids = try books.map { try Record.ID(of: $0) }
        #expect(ids.map(\.description) == (1...5).map { "Book/\($0)" })
        #expect(try await database.values.fetch(ids.map { RecordLink<Book>(to: $0) }).map(\.value) == books)
    }

    @Test func deletingIsSplitByTheBatchLimit() async throws {
        let database = InMemoryRecordDatabase(batchLimit: 2)
        try await database.values.overwrite(books)
        try await database.delete(books.dropLast().map { try Record.ID(of: $0) }, .dangling)
        #expect(try await database.values.fetch(Book.self, named: "5").value == books[4])
        try await database.delete([Record.ID("Book/5")], .dangling)
        var rest = 0
        for try await _ in database.records(ofType: nil) { rest += 1 }
        #expect(rest == 0)
    }
}

import Foundation
import NestedRecords
import Testing

@Suite struct DatabaseValuesTests {
    struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var title: String
    }

    let books = (1...5).map { Book(id: $0, title: "\($0)") }

    @Test func valuesAreSavedAndLoadedTogether() async throws {
        let database = InMemoryRecordDatabase(batchLimit: 2)
        try await database.save(books)
        let ids = try books.map { try Record.ID(of: $0) }
        #expect(ids.map(\.description) == (1...5).map { "Book/\($0)" })
        #expect(try await database.load(Book.self, from: ids) == books)
    }

    @Test func absentValueIsNilOnlyWhereThatIsAskedFor() async throws {
        let database = InMemoryRecordDatabase()
        #expect(try await database.loadIfPresent(Book.self, named: "1") == nil)
        await #expect(throws: RecordError.self) { try await database.load(Book.self, named: "1") }
        try await database.save(books[0])
        #expect(try await database.loadIfPresent(Book.self, named: "1") == books[0])
    }

    @Test func deletingIsSplitByTheBatchLimit() async throws {
        let database = InMemoryRecordDatabase(batchLimit: 2)
        try await database.save(books)
        try await database.delete(books.dropLast().map { try Record.ID(of: $0) })
        #expect(try await database.load(Book.self, named: "5") == books[4])
        try await database.delete(Record.ID("Book/5"))
        var rest = 0
        for try await _ in database.records(ofType: nil) { rest += 1 }
        #expect(rest == 0)
    }

    @Test func identifiersWithRawUUIDsNameTheirRecords() throws {
        struct Key: RawRepresentable, Codable, Hashable, RecordNameConvertible { var rawValue: UUID }
        struct Item: RecordCodable, Identifiable { var id: Key }
        let id = Key(rawValue: UUID())
        #expect(try Record.ID(of: Item(id: id)).name == id.rawValue.uuidString)
    }

    @Test func errorsDescribeThemselvesToFoundationToo() throws {
        let error: any Error = RecordError.recordNotFound(try Record.ID("Book/1"))
        #expect(error.localizedDescription == "there is no record Book/1")
        let refusal: any Error = RecordDatabaseError.batchTooLarge(count: 3, limit: 2)
        #expect(refusal.localizedDescription == "the batch has 3 records, the database takes 2 at a time")
    }
}

import NestedRecords
import TestSupport
import Testing

/// Queries of properties that are nil, through optional references too.
@Suite struct NilQueryTests {
    private struct Publisher: RecordCodable, Identifiable, Equatable {
        var id: String
        var city: String?
        static let recordType = "NilPublisher"
    }

    private struct Author: RecordCodable, Identifiable, Equatable {
        var id: String
        var name: String?
        var age = 0
        var publisher: Publisher?
        static let recordType = "NilAuthor"
    }

    private struct Shelf: Codable, Equatable {
        var keeper: Author
    }

    private struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var subtitle: String?
        var author: Author?
        var editor: Author
        var shelf: Shelf?
        static let recordType = "NilBook"
        static let schema = RecordSchema(formerNames: ["author": ["writer"]])
    }

    private static let books: [Book] = {
        let publishers = [nil, Publisher(id: "p"), Publisher(id: "q", city: "Leith")]
        let authors = publishers.enumerated().flatMap { number, publisher in
            [nil, "Ada", "Bo"].enumerated().map { other, name in
                Author(id: "\(number)\(other)", name: name, age: 30 + number, publisher: publisher)
            }
        }
        var books = ([nil] + authors).enumerated().map { number, author in
            Book(
                id: number, subtitle: number % 2 == 0 ? nil : number % 3 == 0 ? "Tales" : "Maps", author: author,
                editor: authors[number % 9], shelf: number % 4 == 0 ? nil : Shelf(keeper: authors[(number * 5) % 9]))
        }
        books.append(Book(id: 10, subtitle: nil, author: nil, editor: authors[4], shelf: nil))
        return books
    }()

    private static let filters: [(filter: QueryFilter<Book>, isTrue: @Sendable (Book) -> Bool)] = [
        (QueryFilter { $0.author.name == "Ada" }, { $0.author?.name == "Ada" }),
        (QueryFilter { $0.author.name != "Ada" }, { $0.author?.name != "Ada" }),
        (QueryFilter { !($0.author.name == "Ada") }, { !($0.author?.name == "Ada") }),
        (QueryFilter { !($0.author.name != "Ada") }, { !($0.author?.name != "Ada") }),
        (QueryFilter { $0.author.name == nil }, { $0.author?.name == nil }),
        (QueryFilter { $0.author.name != nil }, { $0.author?.name != nil }),
        (QueryFilter { $0.author.age == 31 }, { $0.author?.age == 31 }),
        (QueryFilter { $0.author.age != 31 }, { $0.author?.age != 31 }),
        (QueryFilter { $0.author.age < 31 }, { ($0.author?.age ?? 99) < 31 }),
        (QueryFilter { $0.author.age >= 31 }, { ($0.author?.age ?? 0) >= 31 }),
        (QueryFilter { $0.author.publisher == nil }, { $0.author?.publisher == nil }),
        (QueryFilter { $0.author.publisher != nil }, { $0.author?.publisher != nil }),
        (QueryFilter { $0.author.publisher.city == nil }, { $0.author?.publisher?.city == nil }),
        (QueryFilter { $0.author.publisher.city != nil }, { $0.author?.publisher?.city != nil }),
        (QueryFilter { $0.author.publisher.city == "Leith" }, { $0.author?.publisher?.city == "Leith" }),
        (QueryFilter { $0.author.publisher.city != "Leith" }, { $0.author?.publisher?.city != "Leith" }),
        (QueryFilter { $0.editor.name != "Ada" }, { $0.editor.name != "Ada" }),
        (QueryFilter { $0.editor.name == nil }, { $0.editor.name == nil }),
        (QueryFilter { $0.editor.publisher.city != "Leith" }, { $0.editor.publisher?.city != "Leith" }),
        (QueryFilter { $0.shelf.keeper.name != "Ada" }, { $0.shelf?.keeper.name != "Ada" }),
        (QueryFilter { $0.shelf.keeper.publisher == nil }, { $0.shelf?.keeper.publisher == nil }),
        (QueryFilter { $0.author.name.hasPrefix("A") }, { $0.author?.name?.hasPrefix("A") ?? false }),
        (QueryFilter { $0.subtitle.isAny(of: [nil, "Tales"]) }, { [nil, "Tales"].contains($0.subtitle) }),
        (QueryFilter { $0.subtitle.isAny(of: ["Tales", "Maps"]) }, { ["Tales", "Maps"].contains($0.subtitle) }),
        (QueryFilter { !$0.subtitle.isAny(of: [nil]) }, { $0.subtitle != nil }),
        (QueryFilter { $0.author.name.isAny(of: [nil, "Bo"]) }, { [nil, "Bo"].contains($0.author?.name) }),
        (QueryFilter { $0.author.name.isAny(of: ["Ada", "Bo"]) }, { ["Ada", "Bo"].contains($0.author?.name) }),
    ]

    @Test func filtersFindWhatSwiftFinds() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Self.books)
        for (filter, isTrue) in Self.filters {
            let found = try await database.values.query(Book.self).filter { _ in filter }.all().map(\.id).sorted()
            #expect(found == Self.books.filter(isTrue).map(\.id), "\(filter)")
        }
    }

    /// Nil may be stored as a missing field and as null, under a former name too.
    @Test func allFormsOfNilAreFound() async throws {
        let database = InMemoryRecordDatabase()
        let ada = Author(id: "a", name: "Ada")
        try await database.values.overwrite(ada)
        let editor = Record.Value.reference(Record.Reference(to: try Record.ID(of: ada)))
        let forms: [Record.Fields] = [[:], ["author": .null], ["writer": .null], ["writer": editor]]
        for (number, fields) in forms.enumerated() {
            var record = try Record(id: Record.ID(of: Book.self, named: number), fields: fields)
            record["id"] = .int(Int64(number))
            record["editor"] = editor
            try await database.commit(RecordBatch(saving: [record]))
        }
        #expect(
            try await database.values.query(Book.self).filter { $0.author.name == nil }.all().map(\.id) == [0, 1, 2])
        #expect(
            try await database.values.query(Book.self).filter { $0.author.name != "Ada" }.all().map(\.id) == [0, 1, 2])
        #expect(try await database.values.query(Book.self).filter { $0.author.name == "Ada" }.all().map(\.id) == [3])
    }

    /// No search for missing references is made where there can be none.
    @Test func filterAfterAnExistingReferenceStaysAsItIs() throws {
        let query = try InMemoryRecordDatabase().values.query(Book.self).filter { $0.editor.age != 30 }.recordQuery()
        #expect(query.filter == .refers("editor", to: "NilAuthor", where: .compare("age", .notEqual, 30)))
    }
}

import Foundation
import NestedRecords
import TestSupport
import Testing

/// Fields that are named with a type, instead of properties.
@Suite struct DeclaredFieldTests {
    enum Level: String, Codable, Sendable { case low, high }

    struct Cover: Codable, Equatable { var colour: String }

    struct Author: RecordCodable, Identifiable, Equatable {
        var id: String
        static let recordType = "DeclaredAuthor"
    }

    struct Book: RecordCodable, Identifiable {
        var id: Int
        var title: String
        var year: Int
        var level = Level.low
        var tags: Set<String> = []
        var names: [String] = []
        var author: Author?
        var editor: RecordLink<Author>?
        var readers: Set<RecordLink<Author>> = []
        var cover: Cover?
        var weight: Float = 1
        var extra: [String: Int] = [:]
        static let recordType = "DeclaredBook"
        static let schema = RecordSchema(
            ignoring: ["weight"], defaults: ["weight": 1.0], formerNames: ["title": ["name"]])
    }

    /// Writes a field that it does not read.
    struct Indexed: RecordCodable, Identifiable {
        var id: Int
        var name: String
        static let recordType = "DeclaredIndexed"

        enum CodingKeys: CodingKey { case id, name }
        enum SearchKeys: CodingKey { case lowerCaseName }

        init(id: Int, name: String) { (self.id, self.name) = (id, name) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(name, forKey: .name)
            var search = encoder.container(keyedBy: SearchKeys.self)
            try search.encode(name.lowercased(), forKey: .lowerCaseName)
        }
    }

    private func store(_ coding: RecordCoding = RecordCoding()) async throws -> RecordStore {
        let store = InMemoryRecordDatabase().values(coding: coding)
        try await store.overwrite(Author(id: "a"))
        try await store.overwrite(
            Book(
                id: 1, title: "Tides", year: 1990, tags: ["sea", "b"], names: ["x"], author: Author(id: "a"),
                cover: Cover(colour: "red")))
        return store
    }

    private func refusal(_ call: () async throws -> Void) async -> String {
        let error = await #expect(throws: RecordError.self) { try await call() }
        #expect([.unknownField, .unchangeableField].contains(error?.code))
        return error?.description ?? ""
    }

    @Test(arguments: [false, true]) func misspelledFieldIsRefusedWhereverItIsUsed(isSnakeCase: Bool) async throws {
        var coding = RecordCoding()
        if isSnakeCase { coding.keyStrategy = .snakeCase }
        let store = try await store(coding)
        let query = store.query(Book.self)
        let uses: [() async throws -> Void] = [
            { _ = try await query.filter { $0.field("authr", as: String.self) == "a" }.all() },
            { _ = try await query.filter { $0.field("authr", as: String.self) == "a" }.count() },
            { _ = try await query.sorted { $0.field("authr", as: String.self) }.page() },
            { _ = try await query.sum { $0.field("authr", as: Int.self) } },
            { _ = try await query.grouped { $0.field("authr", as: String.self) }.count() },
            { try await store.change(Book.self, named: 1) { $0.field("authr", as: String.self).set("a") } },
            { _ = try await query.filter { _ in QueryField<Book, String>("authr") == "a" }.all() },
        ]
        for use in uses {
            let text = await refusal(use)
            #expect(text.contains("Book has no field 'authr'; it has 'id', 'title', 'year'"), "\(text)")
        }
        let text = await refusal {
            _ = try await query.filter { $0.field("cover.color", as: String.self) == "a" }.all()
        }
        #expect(text.contains("Cover has no field 'color'; it has 'colour'"), "\(text)")
    }

    @Test func fieldsOfOtherKindsAreRefused() async throws {
        let store = try await store()
        let query = store.query(Book.self)
        let uses: [(String, () async throws -> Void)] = [
            (
                "the field 'year' has numbers, and is used as one with strings",
                { _ = try await query.filter { $0.field("year", as: String.self) == "1990" }.all() }
            ),
            (
                "the field 'tags' has lists of strings, and is used as one with lists of numbers",
                { _ = try await query.filter { $0.field("tags", as: [Int].self).contains(1) }.all() }
            ),
            (
                "the field 'author' has references, and is used as one with strings",
                { _ = try await query.sorted { $0.field("author", as: String.self) }.all() }
            ),
            (
                "'title.x' leads into the field 'title' of Book, which has strings",
                { _ = try await query.filter { $0.field("title.x", as: String.self) == "" }.all() }
            ),
            ("'weight' is an ignored property", { _ = try await query.sum { $0.field("weight", as: Float.self) } }),
        ]
        for (expected, use) in uses {
            let text = await refusal(use)
            #expect(text.contains(expected), "\(text)")
        }
    }

    @Test func fieldsThatTheTypeHasAreUsedAsBefore() async throws {
        let store = try await store()
        let query = store.query(Book.self)
        for filter in [
            QueryFilter<Book> { $0.field("year", as: Double.self) > 1989.5 },
            QueryFilter<Book> { $0.field("title", as: String?.self) == "Tides" },
            QueryFilter<Book> { $0.field("level", as: String.self) == "low" },
            QueryFilter<Book> { $0.field("tags", as: [String].self).contains("sea") },
            QueryFilter<Book> { $0.field("author", as: RecordLink<Author>?.self) != nil },
            QueryFilter<Book> { $0.field("cover.colour", as: String.self) == "red" },
            QueryFilter<Book> { $0.field("name", as: String?.self) == nil },
            QueryFilter<Book> { $0.field("extra.unknown", as: Int?.self) == nil },
            QueryFilter<Book> { $0.field("cover", as: Cover?.self) != nil },
            QueryFilter<Book> { _ in RecordFilter.compare("title", .equal, "Tides") },
        ] {
            #expect(try await query.filter { _ in filter }.all().count == 1, "\(filter)")
        }
        #expect(try await query.filter { _ in RecordFilter.exists("other") }.all().isEmpty)
    }

    @Test func fieldThatOnlyEncodingWritesIsKnown() async throws {
        let store = InMemoryRecordDatabase().values
        try await store.overwrite(Indexed(id: 1, name: "Ada"))
        let query = store.query(Indexed.self)
        #expect(try await query.filter { $0.field("lowerCaseName", as: String.self) == "ada" }.all().count == 1)
        let text = await refusal { _ = try await query.sorted { $0.field("lowercaseName", as: String.self) }.all() }
        #expect(text.contains("it has 'id', 'name', 'lowerCaseName'"))
    }

    @Test func setsAreChangedAsTheTypeWritesThem() async throws {
        let store = try await store()
        func record() async throws -> Record? {
            try await store.database.record(for: Record.ID(of: Book.self, named: 1))
        }
        let link = try RecordLink<Author>(named: "a")
        try await store.change(Book.self, named: 1) {
            $0.tags.insert("a")
            $0.tags.insert("sea")
            $0.tags.remove("b")
            $0.readers.insert(link)
        }
        #expect(try await record()?["tags"] == .list(["a", "sea"]))
        var book = try await store.fetch(Book.self, named: 1)
        #expect(book.tags == ["a", "sea"] && book.readers.count == 1)
        book.title = "Sands"
        try await store.save(&book)
        #expect(try await record()?["tags"] == .list(["a", "sea"]))
        try await store.change(Book.self, named: 1) {
            $0.readers.remove(link)
            $0.field("tags", as: Set<String>.self).insert("z")
            $0.field("tags", as: [String].self).remove("a")
        }
        #expect(try await record()?["tags"] == .list(["sea", "z"]))
        #expect(try await store.fetch(Book.self, named: 1).readers.isEmpty)
    }

    @Test func changeThatTheTypeWouldNotWriteIsRefused() async throws {
        let store = try await store()
        let before = try await store.database.record(for: Record.ID(of: Book.self, named: 1))
        let link = try RecordLink<Author>(named: "a")
        let changes: [(String, (QueryField<Book, Book>) -> PropertyChange<Book>)] = [
            ("'tags' is a Set<String>: insert the element", { $0.field("tags", as: [String].self).append("a") }),
            (
                "'level' would be \"none\", which is not a value of Level",
                { $0.field("level", as: String.self).set("none") }
            ),
            (
                "'tags' would be [\"z\", \"a\"], which Set<String> writes as [\"a\", \"z\"]",
                { $0.field("tags", as: [String].self).set(["z", "a"]) }
            ),
            ("'year' would be 1.5, which is not a value of Int", { $0.field("year", as: Double.self).set(1.5) }),
            (
                "'author' has nested values, not links",
                { $0.field("author", as: RecordLink<Author>?.self).set(link) }
            ),
        ]
        for (expected, change) in changes {
            let text = await refusal { try await store.change(Book.self, named: 1) { change($0) } }
            #expect(text.contains(expected), "\(text)")
        }
        #expect(try await store.database.record(for: Record.ID(of: Book.self, named: 1)) == before)
        try await store.change(Book.self, named: 1) {
            $0.field("level", as: String.self).set("high")
            $0.field("names", as: [String].self).append("y")
        }
        let book = try await store.fetch(Book.self, named: 1)
        #expect(book.level == .high && book.names == ["x", "y"])
    }
}

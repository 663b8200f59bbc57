import Foundation
import GRDB
import Models

/// A school in tables of GRDB: a row for each object, in memory, in one transaction.
struct GRDBSchool {
    fileprivate struct PersonRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "person"
        var id: String
        var name: String
        var born: Date
        var guardian: String?
    }

    fileprivate struct BookRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "book"
        var id: String
        var title: String
        var pages: Int
        var isAvailable: Bool
    }

    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT, born DATETIME, guardian TEXT);
                    CREATE TABLE book (id TEXT PRIMARY KEY, title TEXT, pages INTEGER, isAvailable BOOLEAN)
                    """)
        }
    }

    func empty() throws {
        try queue.write { try $0.execute(sql: "DELETE FROM person; DELETE FROM book") }
    }

    func insert(_ school: School) throws {
        try queue.write { database in
            for person in school.students + [school.director] {
                try PersonRow(id: person.id, name: person.name, born: person.born, guardian: person.guardian?.id)
                    .insert(database)
            }
            for book in school.books {
                try BookRow(id: book.id, title: book.title, pages: book.pages, isAvailable: book.isAvailable)
                    .insert(database)
            }
        }
    }

    /// All rows as objects; no references are resolved.
    func fetch() throws -> Rows {
        try queue.read { Rows(persons: try PersonRow.fetchAll($0), books: try BookRow.fetchAll($0)) }
    }

    /// The fetched objects, whose release is not part of the measured time.
    struct Rows {
        fileprivate let persons: [PersonRow]
        fileprivate let books: [BookRow]
    }
}

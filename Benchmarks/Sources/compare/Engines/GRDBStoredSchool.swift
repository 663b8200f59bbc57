#if Engines
import Foundation
import GRDB
import Models
import NestedRecords

/// A nested school in a file with GRDB: as rows that are linked by associations, and as a JSON document in one row.
final class GRDBStoredSchool: Sendable {
    fileprivate struct SchoolRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "school"
        static let director = belongsTo(PersonRow.self, key: "director", using: ForeignKey(["directorID"]))
        static let students = hasMany(PersonRow.self, key: "students", using: ForeignKey(["schoolID"]))
            .order(Column("position"))
        static let books = hasMany(BookRow.self, key: "books", using: ForeignKey(["schoolID"]))
            .order(Column("position"))

        var id: String
        var name: String
        var latitude: Double
        var longitude: Double
        var directorID: String
    }

    fileprivate struct PersonRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "person"
        var id: String
        var name: String
        var born: Date
        var schoolID: String?
        var position: Int?

        var person: Person { Person(id: id, name: name, born: born, guardian: nil) }
    }

    fileprivate struct BookRow: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "book"
        var id: String
        var title: String
        var pages: Int
        var isAvailable: Bool
        var schoolID: String
        var position: Int

        var book: Book { Book(id: id, title: title, pages: pages, isAvailable: isAvailable) }
    }

    private struct SchoolTree: Decodable, FetchableRecord {
        var school: SchoolRow
        var director: PersonRow
        var students: [PersonRow]
        var books: [BookRow]
    }

    private let pool: DatabasePool

    init(path: String, _ school: School) async throws {
        pool = try DatabasePool(path: path)
        try await pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT, born DATETIME, schoolID TEXT, position INTEGER);
                    CREATE TABLE book (id TEXT PRIMARY KEY, title TEXT, pages INTEGER, isAvailable BOOLEAN,
                        schoolID TEXT, position INTEGER);
                    CREATE TABLE school (id TEXT PRIMARY KEY, name TEXT, latitude DOUBLE, longitude DOUBLE,
                        directorID TEXT);
                    CREATE INDEX studentsOfSchool ON person(schoolID, position);
                    CREATE INDEX booksOfSchool ON book(schoolID, position);
                    CREATE TABLE document (id TEXT PRIMARY KEY, body BLOB);
                    """)
            try SchoolRow(
                id: school.id, name: school.name, latitude: school.location.latitude,
                longitude: school.location.longitude, directorID: school.director.id
            ).insert(database)
            let director = school.director
            try PersonRow(id: director.id, name: director.name, born: director.born).insert(database)
            for (position, student) in school.students.enumerated() {
                try PersonRow(
                    id: student.id, name: student.name, born: student.born, schoolID: school.id, position: position
                ).insert(database)
            }
            for (position, book) in school.books.enumerated() {
                try BookRow(
                    id: book.id, title: book.title, pages: book.pages, isAvailable: book.isAvailable,
                    schoolID: school.id, position: position
                ).insert(database)
            }
            try database.execute(
                sql: "INSERT INTO document VALUES (?, ?)", arguments: [school.id, try JSONEncoder().encode(school)])
        }
    }

    func fromAssociations(_ id: String) async throws -> School {
        try await pool.read { database in
            let tree = try SchoolRow.filter(key: id)
                .including(required: SchoolRow.director)
                .including(all: SchoolRow.students)
                .including(all: SchoolRow.books)
                .asRequest(of: SchoolTree.self)
                .fetchOne(database)
            guard let tree else { throw SQLiteFailure(message: "the school \(id) is missing") }
            return School(
                id: tree.school.id, name: tree.school.name,
                location: try Location(latitude: tree.school.latitude, longitude: tree.school.longitude),
                director: tree.director.person, students: tree.students.map(\.person),
                books: tree.books.map(\.book))
        }
    }

    func fromDocument(_ id: String) async throws -> School {
        try await pool.read { database in
            let data = try Data.fetchOne(database, sql: "SELECT body FROM document WHERE id = ?", arguments: [id])
            guard let data else { throw SQLiteFailure(message: "the document \(id) is missing") }
            return try JSONDecoder().decode(School.self, from: data)
        }
    }

    func close() throws { try pool.close() }
}
#endif

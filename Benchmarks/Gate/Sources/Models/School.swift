public import Foundation
public import NestedRecords

/// A school with its persons and books, the main model of the measurements.
public struct School: RecordCodable, Identifiable, Sendable {
    /// The name of its record.
    public var id: String

    /// Its name.
    public var name: String

    /// Its location.
    public var location: Location

    /// Its director.
    public var director: Person

    /// Its students.
    public var students: [Person]

    /// Its books.
    public var books: [Book]

    /// Makes a school.
    public init(id: String, name: String, location: Location, director: Person, students: [Person], books: [Book]) {
        (self.id, self.name, self.location) = (id, name, location)
        (self.director, self.students, self.books) = (director, students, books)
    }

    /// Makes a school of this many records: itself, a director, and half students, half books.
    public init(records count: Int) throws {
        var texts = Texts(seed: 42)
        let director = Person(&texts)
        let (students, books) = ((count - 2) / 2, count - 2 - (count - 2) / 2)
        self.init(
            id: texts.identifier(), name: "Hilltop School", location: try Location(latitude: 57.05, longitude: -5.13),
            director: director, students: (0..<students).map { _ in Person(&texts) },
            books: (0..<books).map { _ in Book(&texts) })
    }
}

/// A person: an instance of a class, which can be a link of a chain.
public final class Person: RecordCodable, Identifiable, Sendable {
    /// The name of the record.
    public let id: String

    /// The name of the person.
    public let name: String

    /// The date of birth.
    public let born: Date

    /// The next link of the chain, if any.
    public let guardian: Person?

    /// Makes a person.
    public init(id: String, name: String, born: Date, guardian: Person?) {
        (self.id, self.name, self.born, self.guardian) = (id, name, born, guardian)
    }

    convenience init(_ texts: inout Texts, guardian: Person? = nil) {
        let born = Date(timeIntervalSinceReferenceDate: Double(texts.number(below: 1 << 30)))
        self.init(id: texts.identifier(), name: texts.words(), born: born, guardian: guardian)
    }

    /// A chain of this many persons, each the guardian of the next.
    public static func chain(of count: Int) -> Person {
        var texts = Texts(seed: 7)
        return (1..<count).reduce(Person(&texts)) { person, _ in Person(&texts, guardian: person) }
    }
}

/// A book: a value.
public struct Book: RecordCodable, Identifiable, Sendable {
    /// The name of the record.
    public var id: String

    /// The title.
    public var title: String

    /// The number of pages.
    public var pages: Int

    /// Whether it may be taken home.
    public var isAvailable: Bool

    /// Makes a book.
    public init(id: String, title: String, pages: Int, isAvailable: Bool) {
        (self.id, self.title, self.pages, self.isAvailable) = (id, title, pages, isAvailable)
    }

    init(_ texts: inout Texts) {
        self.init(
            id: texts.identifier(), title: texts.words(), pages: texts.number(below: 1_000),
            isAvailable: texts.number(below: 2) == 0)
    }
}

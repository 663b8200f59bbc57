import Foundation
import Models
import NestedRecords

/// A school as flat records, by code for only these types: a lower bound for any general coder.
///
/// The fields of a record are kept by a `Form`, of which there are two.
struct HandWritten<Form: HandForm> {
    enum Value {
        case string(String), int(Int), bool(Bool), date(Date), location(Location)
        case reference(String), references([String]), null
    }

    struct Table {
        var forms: [Form] = []
        var positions: [String: Int] = [:]

        mutating func add(_ name: String, _ form: @autoclosure () -> Form) {
            guard positions[name] == nil else { return }
            positions[name] = forms.count
            forms.append(form())
        }

        subscript(name: String) -> Form? { positions[name].map { forms[$0] } }
    }

    var schools = Table()
    var persons = Table()
    var books = Table()

    private static var schoolKeys: Form.Keys {
        Form.keys(["id", "name", "location", "director", "students", "books"])
    }
    private let personKeys = Form.keys(["id", "name", "born", "guardian"])
    private let bookKeys = Form.keys(["id", "title", "pages", "isAvailable"])

    init(_ school: School) {
        add(school.director)
        for student in school.students { add(student) }
        let keys = bookKeys
        for book in school.books {
            books.add(
                book.id,
                Form([.string(book.id), .string(book.title), .int(book.pages), .bool(book.isAvailable)], keys))
        }
        schools.add(
            school.id,
            Form(
                [
                    .string(school.id), .string(school.name), .location(school.location),
                    .reference(school.director.id), .references(school.students.map(\.id)),
                    .references(school.books.map(\.id)),
                ], Self.schoolKeys))
    }

    /// The links of a chain.
    init(chain: Person) { add(chain) }

    private mutating func add(_ person: Person) {
        if let guardian = person.guardian { add(guardian) }
        let keys = personKeys
        persons.add(
            person.id,
            Form(
                [
                    .string(person.id), .string(person.name), .date(person.born),
                    person.guardian.map { .reference($0.id) } ?? .null,
                ], keys))
    }

    /// The rebuilt school.
    func school(_ name: String) -> School? {
        guard let form = schools[name],
            case (.string(let id), .string(let name)) = (form[0, "id"], form[1, "name"]),
            case (.location(let location), .reference(let director)) = (form[2, "location"], form[3, "director"]),
            case (.references(let students), .references(let books)) = (form[4, "students"], form[5, "books"])
        else { return nil }
        var known = [Person?](repeating: nil, count: persons.forms.count)
        guard let leader = person(director, &known) else { return nil }
        return School(
            id: id, name: name, location: location, director: leader,
            students: students.compactMap { person($0, &known) }, books: books.compactMap(book))
    }

    /// The rebuilt chain that begins with a person.
    func chain(_ name: String) -> Person? {
        var known = [Person?](repeating: nil, count: persons.forms.count)
        return person(name, &known)
    }

    private func person(_ name: String, _ known: inout [Person?]) -> Person? {
        guard let position = persons.positions[name] else { return nil }
        if let person = known[position] { return person }
        let form = persons.forms[position]
        guard case (.string(let id), .string(let name)) = (form[0, "id"], form[1, "name"]),
            case .date(let born) = form[2, "born"]
        else { return nil }
        var guardian: Person?
        if case .reference(let target) = form[3, "guardian"] { guardian = self.person(target, &known) }
        let person = Person(id: id, name: name, born: born, guardian: guardian)
        known[position] = person
        return person
    }

    private func book(_ name: String) -> Book? {
        guard let form = books[name], case (.string(let id), .string(let title)) = (form[0, "id"], form[1, "title"]),
            case (.int(let pages), .bool(let isAvailable)) = (form[2, "pages"], form[3, "isAvailable"])
        else { return nil }
        return Book(id: id, title: title, pages: pages, isAvailable: isAvailable)
    }
}

/// The storage of the fields of one record.
protocol HandForm {
    associatedtype Keys
    typealias Value = HandWritten<Self>.Value

    static func keys(_ names: [String]) -> Keys
    init(_ values: [Value], _ keys: Keys)

    /// The value with a name, given the position of the name.
    subscript(position: Int, name: String) -> Value? { get }
}

/// An array of values; the names are shared by all records of a type.
struct ShapeForm: HandForm {
    private let keys: [String]
    private let values: [Value]

    static func keys(_ names: [String]) -> [String] { names }

    init(_ values: [Value], _ keys: [String]) { (self.keys, self.values) = (keys, values) }

    subscript(position: Int, name: String) -> Value? {
        keys[position] == name ? values[position] : keys.firstIndex(of: name).map { values[$0] }
    }
}

/// A dictionary for each record.
struct DictionaryForm: HandForm {
    private let fields: [String: Value]

    static func keys(_ names: [String]) -> [String] { names }

    init(_ values: [Value], _ keys: [String]) {
        fields = Dictionary(uniqueKeysWithValues: zip(keys, values))
    }

    subscript(position: Int, name: String) -> Value? { fields[name] }
}

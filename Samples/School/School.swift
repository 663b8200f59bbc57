import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct School: RecordCodable, Identifiable, Equatable {
    var id: String
    var name: String
    var location: Location
    var director: Person
    var students: [Person]
    var books: [Book]
    var visitorsToday: Int?

    static let schema = RecordSchema(ignoring: ["visitorsToday"])
}

struct Person: RecordCodable, Identifiable, Equatable {
    var id: String
    var name: String
    var born: Date
    var favourite: Book?
}

struct Book: RecordCodable, Identifiable, Equatable {
    var id: Int
    var title: String
    var cover: Cover
}

struct Cover: Codable, Equatable {
    var colour: String
    var isHard: Bool
}

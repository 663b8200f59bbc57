import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Library: RecordCodable, Identifiable {
    @RecordName var id: String
    var name: String
    var place: Location
    var shelves: [Shelf]
}

struct Shelf: RecordCodable, Identifiable {
    @RecordName var id: Int
    var books: [Book]
}

struct Book: RecordCodable, Identifiable {
    @RecordName var id: Int
    var title: String
    var authors: [Author]
    var tags: Set<String>
    var language: Language
    var published: Date
    var coverColour: Colour
    @ExplicitNull var reservedFor: String?
    @ServerTimestamp var changed: Date? = nil
    var openPages: [Int]?
    var version: Record.Metadata?

    // The field of the colour has another name, and the field of the version is never written.
    enum CodingKeys: String, CodingKey {
        case id, title, authors, tags, language, published
        case coverColour = "cover"
        case reservedFor, changed, openPages, version
    }

    static let schema = RecordSchema(ignoring: ["openPages"])
}

struct Author: RecordCodable, Identifiable {
    @RecordName var id: String
    var name: String
    /// The link back, which closes a cycle: links are not followed.
    var books: [RecordLink<Book>]
}

/// A loan, which is deleted with its book.
struct Loan: RecordCodable, Identifiable {
    @RecordName var id: Int
    var book: RecordLink<Book>
    var reader: String

    static let schema = RecordSchema(cascading: ["book"])
}

enum Language: String, Codable {
    case english = "en"
    case gaelic = "gd"
}

/// A colour, which is stored as one string.
struct Colour: Codable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == 7, text.hasPrefix("#"), let bits = UInt32(text.dropFirst(), radix: 16) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not like #1a2b3c")
        }
        self.init(
            red: UInt8(truncatingIfNeeded: bits >> 16), green: UInt8(truncatingIfNeeded: bits >> 8),
            blue: UInt8(truncatingIfNeeded: bits))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        try container.encode("#" + digits.joined())
    }
}

import Foundation
import NestedRecords
import TestSupport
import Testing

/// A property without a value must not take a field of another property's embedded value.
@Suite struct FlattenedAbsenceTests {
    struct Maker: RecordCodable, Identifiable, Equatable {
        var id: Int
    }

    struct Cover: Codable, Equatable {
        var small: String?
        var size: Int?
        var day: Date?
        var maker: Maker?
        var link: RecordLink<Maker>?
        var tags: [String]?
        var inner: Inner?
    }

    struct Inner: Codable, Equatable {
        var x: Int
    }

    struct Book: RecordCodable, Identifiable, Equatable {
        var id = 1
        var cover: Cover
        var coverSmall: String?
        var coverSize: Int?
        var coverDay: Date?
        var coverMaker: Maker?
        var coverLink: RecordLink<Maker>?
        var coverTags: [String]?
        var coverInner: Inner?
        var coverInnerX: Int?
    }

    enum Part: CaseIterable {
        case small, size, day, maker, link, tags, inner

        func cover() throws -> Cover {
            switch self {
            case .small: Cover(small: "s")
            case .size: Cover(size: 1)
            case .day: Cover(day: .distantPast)
            case .maker: Cover(maker: Maker(id: 1))
            case .link: Cover(link: try RecordLink(named: "1"))
            case .tags: Cover(tags: ["t"])
            case .inner: Cover(inner: Inner(x: 1))
            }
        }
    }

    @Test(arguments: Part.allCases)
    func nilDoesNotReadAnEmbeddedField(_ part: Part) throws {
        let (encoder, decoder) = coders(.flattened(), keys: .snakeCase)
        let book = Book(cover: try part.cover())
        #expect(codingOutcome(book, encoder, decoder) == .refused)
    }

    class Base: RecordCodable, Identifiable {
        var id = 1
        var coverSmall: String?
    }

    final class Derived: Base {
        var cover = Cover(small: "s")
        enum CodingKeys: CodingKey { case cover }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            cover = try decoder.container(keyedBy: CodingKeys.self).decode(Cover.self, forKey: .cover)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(cover, forKey: .cover)
        }
    }

    @Test func nilOfASuperclassDoesNotReadAnEmbeddedField() throws {
        let (encoder, _) = coders(.flattened(), keys: .snakeCase)
        #expect(throws: RecordError.self) { try encoder.encode(Derived()) }
    }
}

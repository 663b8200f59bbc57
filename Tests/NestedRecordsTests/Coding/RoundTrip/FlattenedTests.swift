import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct FlattenedTests {
    struct Cover: Codable, Equatable {
        var small: String
        var large: String?
        var size: Size?
    }

    struct Size: Codable, Equatable {
        var width = 1
        var maker: Person?
    }

    struct Person: RecordCodable, Identifiable, Equatable {
        var id: String
        var home: Home?
    }

    struct Home: Codable, Equatable {
        var town: Town
    }

    struct Town: RecordCodable, Identifiable, Equatable {
        var id: String
    }

    struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        var cover: Cover
        var backCover: Cover?
        var covers: [Cover] = []
        var byName: [String: Cover] = [:]
        var byNumber: [Int: Cover] = [:]
    }

    static let book = Book(
        id: 1,
        cover: Cover(
            small: "s", large: "l", size: Size(maker: Person(id: "ada", home: Home(town: Town(id: "york"))))),
        covers: [Cover(small: "x", size: Size(width: 3))], byName: ["a b": Cover(small: "y", size: Size())],
        byNumber: [4: Cover(small: "z")])

    @Test func embeddedValuesBecomeFields() throws {
        let (encoder, decoder) = coders(.flattened())
        let graph = try encoder.encode(Self.book)
        #expect(
            graph.last?.description == """
                Book/1
                    id: 1
                    cover_small: "s"
                    cover_large: "l"
                    cover_size_width: 1
                    cover_size_maker: → Person/ada
                    covers: [{small: "x", size: {width: 3}}]
                    byName: {"a b": {small: "y", size: {width: 1}}}
                    byNumber: {4: {small: "z"}}
                """)
        #expect(try decoder.decode(Book.self, from: graph) == Self.book)
    }

    @Test(
        arguments: [
            ("_", KeyStrategy.unchanged), ("_", .snakeCase), (".", .snakeCase), ("/é", .unchanged),
        ])
    func separatorAndKeysAreFree(_ separator: String, _ keys: KeyStrategy) throws {
        let (encoder, decoder) = coders(.flattened(separator: separator), keys: keys)
        var book = Self.book
        book.backCover = Cover(small: "b", size: Size(width: 9))
        let graph = try encoder.encode(book)
        #expect(graph.last?["cover\(separator)small"] == "s")
        #expect(try decoder.decode(Book.self, from: graph) == book)
    }

    @Test func referencesInFlattenedValuesAreFetchedLevelByLevel() async throws {
        let (encoder, decoder) = coders(.flattened())
        let database = try await CountingDatabase(holding: encoder.encode(Self.book))
        #expect(try await decoder.decode(Book.self, named: "1", in: database) == Self.book)
        #expect(database.sortedCalls == [["Book/1"], ["Person/ada"], ["Town/york"]])
        let resolution = try await decoder.resolve(Book.self, from: Record.ID("Book/1"), in: database)
        #expect(resolution.callCount == 3)
        #expect(resolution.passCount == 1)
    }

    @Test func errorNamesTheField() throws {
        let (encoder, decoder) = coders(.flattened())
        let records = try encoder.encode(Self.book).filter { $0.id.type != "Person" }
        let graph = try RecordGraph(records, roots: [Record.ID("Book/1")])
        #expect {
            try decoder.decode(Book.self, from: graph)
        } throws: { error in
            guard let error = error as? RecordError, error.code == .danglingReference, case let place = error.context
            else { return false }
            return place.field == "cover_size_maker" && place.keys == ["cover", "size", "maker"]
        }
        var broken = records
        for index in broken.indices where broken[index].id.type == "Book" { broken[index]["cover_small"] = 5 }
        let error = try #require(throws: DecodingError.self) {
            try decoder.decode(Book.self, from: RecordGraph(broken, roots: [Record.ID("Book/1")]))
        }
        #expect("\(error)".contains("in record Book/1, field 'cover_small'"))
    }

    enum Choice: Codable, Equatable {
        case none
        case one(Int)
        case two(left: Size, right: String)
    }

    @Test(arguments: [Choice.none, .one(5), .two(left: Size(), right: "r")])
    func enumerationsComeBack(_ choice: Choice) throws {
        let (encoder, decoder) = coders(.flattened())
        for value in [Holder<Choice?>(choice), Holder(nil)] {
            let graph = try encoder.encode(value)
            #expect(try decoder.decode(Holder<Choice?>.self, from: graph) == value)
        }
    }

    struct Empty: Codable, Equatable {
        var a: Int?
        var b: Size?
    }

    @Test func valueWithoutFieldsIsNotNil() throws {
        let (encoder, decoder) = coders(.flattened())
        for value in [Holder(Optional(Empty())), Holder(nil), Holder(Optional(Empty(b: Size(maker: nil))))] {
            #expect(try decoder.decode(Holder<Empty?>.self, from: encoder.encode(value)) == value)
        }
        #expect(try encoder.encode(Holder(Empty()))[0].fields == ["value": [:]])
    }

    struct Clashing: RecordCodable, Identifiable {
        var id: Int
        var cover: Cover?
        var cover_small: String?
    }

    @Test(arguments: [Cover(small: "s"), nil])
    func fieldThatAnotherPropertyWouldReadIsRefused(_ cover: Cover?) throws {
        let (encoder, decoder) = coders(.flattened())
        let error = #expect(throws: RecordError.self) {
            try encoder.encode(Clashing(id: 1, cover: cover, cover_small: "x"))
        }
        #expect(error?.code == .invalidKey && error?.key == "cover")
        #expect(error?.reason?.contains("the field 'cover_small' would belong to another property") == true)
        #expect(error?.context.record?.description == "Clashing/1")
        let graph = try encoder.encode(Apart(id: 1, cover: cover, coverage: "x"))
        #expect(try decoder.decode(Apart.self, from: graph) == Apart(id: 1, cover: cover, coverage: "x"))
    }

    struct Apart: RecordCodable, Identifiable, Equatable {
        var id: Int
        var cover: Cover?
        var coverage: String?
    }

    struct Twice: RecordCodable, Identifiable {
        var id: Int
        var a: Nest
        var a_b: Nest
        struct Nest: Codable {
            var b: Leaf?
            var c: Int?
        }
        struct Leaf: Codable {
            var c = 1
        }
    }

    @Test func prefixesThatOverlapAreRefused() throws {
        let (encoder, _) = coders(.flattened())
        #expect(throws: RecordError.self) {
            try encoder.encode(Twice(id: 1, a: .init(b: .init()), a_b: .init(c: 2)))
        }
    }

    struct Hidden: RecordCodable, Identifiable, Equatable {
        var id: Int
        var cover: Cover?
        static let schema = RecordSchema(ignoring: ["cover"])
    }

    @Test func ignoredValueIsNeitherStoredNorRead() throws {
        let (encoder, decoder) = coders(.flattened())
        #expect(try encoder.encode(Hidden(id: 1, cover: Cover(small: "s")))[0].fields == ["id": 1])
        let graph = try RecordGraph([Flat.record("Hidden/1", ["id": 1, "cover_small": "s"])])
        #expect(try decoder.decode(Hidden.self, from: graph) == Hidden(id: 1))
    }
}

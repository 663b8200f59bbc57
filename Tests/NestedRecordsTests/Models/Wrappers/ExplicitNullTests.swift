import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct ExplicitNullTests {
    struct Book: RecordCodable, Identifiable, Equatable {
        var id: Int
        @ExplicitNull var note: String?
        @ExplicitNull var sequel: Sequel?
        @ExplicitNull var size: Size?
    }

    struct Sequel: RecordCodable, Identifiable, Equatable {
        var id: Int
    }

    struct Size: Codable, Equatable {
        @ExplicitNull var pages: Int?
        var width: Double?
    }

    @Test func nilIsStoredAsNull() async throws {
        let book = Book(id: 1, note: nil, sequel: nil, size: nil)
        let graph = try RecordEncoder().encode(book)
        #expect(graph[0].fields == ["id": 1, "note": .null, "sequel": .null, "size": .null])
        try await RoundTripCheck()(book)
    }

    @Test func valuesAreStoredAsTheyAre() async throws {
        let book = Book(id: 1, note: "x", sequel: Sequel(id: 2), size: Size(pages: nil, width: nil))
        let graph = try RecordEncoder().encode(book)
        #expect(
            graph[graph.roots[0]]?.fields == [
                "id": 1, "note": "x", "sequel": try Flat.reference("Sequel/2"), "size": ["pages": .null],
            ])
        try await RoundTripCheck()(book)
    }

    @Test func missingFieldIsNil() throws {
        let graph = try RecordGraph([Flat.record("Book/1", ["id": 1])])
        #expect(try RecordDecoder().decode(Book.self, from: graph) == Book(id: 1, note: nil, sequel: nil, size: nil))
    }

    @Test func danglingReferenceBecomesNilWhereAllowed() throws {
        let graph = try RecordGraph([Flat.record("Book/1", ["id": 1, "sequel": Flat.reference("Sequel/2")])])
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        let resolution = try decoder.resolve(Book.self, from: graph)
        #expect(resolution.value.sequel == nil)
        #expect(resolution.dropped.map(\.target.description) == ["Sequel/2"])
    }

    @Test(arguments: [KeyStrategy.unchanged, .snakeCase])
    func flattenedValueKeepsItsNulls(_ keys: KeyStrategy) throws {
        let (encoder, decoder) = coders(.flattened(), keys: keys)
        let book = Book(id: 1, note: nil, sequel: nil, size: Size(pages: nil, width: 2))
        let graph = try encoder.encode(book)
        #expect(graph[0].fields == ["id": 1, "note": .null, "sequel": .null, "size_pages": .null, "size_width": 2.0])
        #expect(try decoder.decode(Book.self, from: graph) == book)
    }

    @Test func jsonHasNull() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(Size(pages: nil, width: nil))
        #expect(String(decoding: data, as: UTF8.self) == #"{"pages":null}"#)
        #expect(try JSONDecoder().decode(Size.self, from: Data("{}".utf8)) == Size(pages: nil, width: nil))
        #expect(try JSONDecoder().decode(Size.self, from: data) == Size(pages: nil, width: nil))
    }
}

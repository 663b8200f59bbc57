import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct AssetValueTests {
    private struct Book: Codable, Hashable, RecordRepresentable {
        @RecordName var id: String
        var cover: RecordAsset?
        var pages: [RecordAsset] = []
        var scans: [String: RecordAsset] = [:]
        var inner = Inner()

        struct Inner: Codable, Hashable {
            var image: RecordAsset?
        }
    }

    private static func asset(_ digit: String = "a", fileName: String? = nil) throws -> RecordAsset {
        try RecordAsset(
            hash: String(repeating: digit, count: 64), size: 5, contentType: "image/png", fileName: fileName)
    }

    private func book() throws -> Book {
        var book = Book(id: "1", cover: try Self.asset(fileName: "é/cover.png"))
        book.pages = [try Self.asset("1"), try Self.asset("2")]
        book.scans = ["first": try Self.asset("3")]
        book.inner.image = try Self.asset("4")
        return book
    }

    @Test func assetsAreCarriedAsThroughJSON() async throws {
        for book in [try book(), Book(id: "1")] {
            let graph = try RecordEncoder().encode(book)
            #expect(try RecordDecoder().decode(Book.self, from: graph) == book)
            #expect(try JSONDecoder().decode(Book.self, from: JSONEncoder().encode(book)) == book)
        }
    }

    @Test func fieldsHaveAssetsAsAKindOfTheirOwn() throws {
        let book = try book()
        let record = try #require(try RecordEncoder().encode(book).first)
        #expect(record["cover"] == .asset(try #require(book.cover)))
        let expected: [RecordAsset?] = [
            book.cover, book.pages[0], book.pages[1], book.scans["first"], book.inner.image,
        ]
        #expect(record.assets == expected.compactMap(\.self))
        #expect(record.references.isEmpty)
        #expect(
            try #require(book.cover).description
                == "é/cover.png, image/png, 5 bytes, " + String(repeating: "a", count: 64))
    }

    @Test func everyFormKeepsEveryProperty() throws {
        var record = try Record(id: Record.ID("Book/1"))
        for (number, fileName) in [nil, "", "a", "e\u{301}", String(repeating: "x", count: 1_000)].enumerated() {
            record["plain\(number)"] = .asset(
                try RecordAsset(hash: String(repeating: "0f", count: 32), size: .max, fileName: fileName))
            record["list\(number)"] = [["a": .asset(try Self.asset(fileName: fileName))], 1]
        }
        let line = try JSONEncoder().encode(record)
        #expect(
            try Record.Value.map(JSONDecoder().decode(Record.self, from: line).fields).isIdentical(
                to: .map(record.fields)))
        var bytes = GrowingBytes(capacity: 16)
        var writer = RecordWriter()
        try writer.append(record, metadata: nil, to: &bytes)
        let read = try bytes.withBytes { (bytes: BytesInPlace) in
            var reader = RecordReader()
            return try reader.record(from: bytes)
        }
        #expect(Record.Value.map(read.fields).isIdentical(to: .map(record.fields)))
    }

    @Test func invalidHashesAndSizesAreRefusedEverywhere() throws {
        let valid = String(repeating: "a", count: 64)
        for (hash, size) in [
            ("", 1), (valid + "a", 1), (String(valid.dropLast()), 1), (valid.uppercased(), 1), (valid, -1),
            (String(repeating: "g", count: 64), 1), (String(repeating: "é", count: 32), 1),
        ] as [(String, Int64)] {
            #expect(throws: RecordError.self) { try RecordAsset(hash: hash, size: size) }
            let json = Data(#"{"hash": "\#(hash)", "size": \#(size)}"#.utf8)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordAsset.self, from: json) }
            let typed = Data(
                #"{"id": "Book/1", "fields": {"cover": {"$asset": {"hash": "\#(hash)", "size": \#(size)}}}}"#.utf8)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Record.self, from: typed) }
        }
    }

    @Test func assetsWithOtherSpellingsOfANameAreNotEqual() throws {
        let (composed, decomposed) = (try Self.asset(fileName: "é"), try Self.asset(fileName: "e\u{301}"))
        #expect(Record.Value.asset(composed) != .asset(decomposed))
        #expect(Record.Value.asset(composed) == .asset(composed))
    }

    @Test func queriesReadThePartsOfAnAsset() async throws {
        let store = RecordStore(InMemoryRecordDatabase())
        for size in [1, 10, 100] {
            let cover = try await store.assets.add(
                Data(repeating: 1, count: size), contentType: size == 10 ? "image/png" : nil)
            try await store.insert(Book(id: "\(size)", cover: cover))
        }
        let large = try await store.query(Book.self).filter { $0.cover.size > 5 }.all()
        #expect(large.map(\.id).sorted() == ["10", "100"])
        let pictures = try await store.query(Book.self).filter { $0.cover.contentType == "image/png" }.all()
        #expect(pictures.map(\.id) == ["10"])
        let hash = try #require(large.first?.cover).hash
        let page = try await store.database.page(
            RecordQuery("Book", where: .compare(FieldPath(["cover", "hash"]), .equal, .string(hash))))
        #expect(page.records.count == 1)
    }
}

import NestedRecords
import TestSupport
import Testing

/// What one record did with its level must not show in the next.
@Suite struct FlattenedLevelReuseTests {
    struct Size: Codable, Equatable {
        var width = 1
    }

    struct Cover: Codable, Equatable {
        var small: String?
        var size: Size?
    }

    /// A dictionary that is written by the standard library stands at the depth of the covers.
    struct Shelf: RecordCodable, Identifiable, Equatable {
        var id: Int
        var byNumber: [Int: Int] = [:]
        var cover: Cover?
        var cover_note: String?
    }

    private func encoded(_ shelves: [Shelf]) throws -> RecordGraph {
        try coders(.flattened()).0.encode(shelves)
    }

    @Test func valueAfterADictionaryIsFlattenedAllTheSame() throws {
        let shelf = Shelf(id: 2, byNumber: [1: 1], cover: Cover(small: "s", size: Size()))
        let names = try encoded([Shelf(id: 1, byNumber: [1: 1]), shelf]).map { $0.fields.map(\.name) }
        #expect(names.last == ["id", "byNumber", "cover_small", "cover_size_width"])
    }

    struct Pair: RecordCodable, Equatable {
        var recordName: String { "pair" }
        var first: Shelf
        var list: [Shelf]
    }

    @Test func equalCopiesAreOneRecord() throws {
        let shelf = Shelf(id: 1, byNumber: [1: 1], cover: Cover(small: "s", size: Size()))
        let pair = Pair(first: shelf, list: [shelf, Shelf(id: 1, byNumber: [1: 1], cover: shelf.cover)])
        let (encoder, decoder) = coders(.flattened())
        let graph = try encoder.encode(pair)
        #expect(graph.count == 2)
        #expect(try decoder.decode(Pair.self, from: graph) == pair)
    }

    @Test func recordAfterOneThatIsADictionaryIsFlattened() throws {
        struct Mixed: RecordCodable, Equatable {
            var recordName: String { "mixed" }
            var entries: RecordOf<[String: Int]>
            var shelf: Shelf
        }
        let mixed = Mixed(entries: RecordOf(["a": 1]), shelf: Shelf(id: 1, cover: Cover(small: "s")))
        let (encoder, decoder) = coders(.flattened())
        let graph = try encoder.encode(mixed)
        #expect(try graph[Record.ID("Shelf/1")]?.fields.map(\.name) == ["id", "byNumber", "cover_small"])
        #expect(try decoder.decode(Mixed.self, from: graph) == mixed)
    }

    @Test func clashIsFoundAfterADictionaryToo() throws {
        struct Mixed: RecordCodable, Equatable {
            var recordName: String { "mixed" }
            var entries: RecordOf<[String: Int]>
            var shelf: Shelf
        }
        let (encoder, _) = coders(.flattened())
        #expect(throws: RecordError.self) {
            try encoder.encode(
                Mixed(entries: RecordOf(["a": 1]), shelf: Shelf(id: 1, cover: nil, cover_note: "x")))
        }
    }
}

import TestSupport
import Testing

@testable import NestedRecords

/// A record that cannot be decoded, and is met more than once.
@Suite struct RepeatedFailureTests {
    struct Failure: Error {}

    struct Bad: RecordDecodable {
        static let recordType = "Bad"
        var recordName: String { "bad" }
        var number: Int
    }

    struct Throwing: RecordDecodable {
        static let recordType = "Bad"
        var recordName: String { "bad" }
        init(from _: any Decoder) throws { throw Failure() }
    }

    struct OwnPath: RecordDecodable {
        static let recordType = "Bad"
        var recordName: String { "bad" }
        init(from _: any Decoder) throws {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no path"))
        }
    }

    struct Root<Part: RecordDecodable>: RecordDecodable, Identifiable {
        static var recordType: String { "Root" }
        var id: Int
        var list: [Part]
        enum CodingKeys: CodingKey { case id, first, list }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            _ = try? container.decode(Part.self, forKey: .first)
            list = try container.decode([Part].self, forKey: .list)
        }
    }

    private func graph(roots: ClosedRange<Int>) throws -> RecordGraph {
        let bad = try Flat.record("Bad/bad", ["number": "text"])
        let roots = try roots.map { number in
            try Flat.record(
                "Root/\(number)",
                [
                    "id": .int(Int64(number)), "first": Flat.reference("Bad/bad"),
                    "list": Flat.references(["Bad/bad"]),
                ])
        }
        return try RecordGraph([bad] + roots, roots: roots.map(\.id))
    }

    @Test func errorHasThePathOnWhichTheRecordWasMetLast() throws {
        let graph = try graph(roots: 1...1)
        let way = " (Root/1 .list[0] → Bad/bad)"
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Root<Bad>.self, from: graph) }
                == CodingFailure(.typeMismatch, "list.0.number", "Bad/bad, field 'number'" + way))
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Root<Throwing>.self, from: graph) }
                == CodingFailure(.dataCorrupted, "list.0", "Bad/bad" + way, cause: "Failure()"))
        // A path that a type gives its error stays.
        #expect(CodingFailure.of { try RecordDecoder().decode(Root<OwnPath>.self, from: graph) }?.path == "")
    }

    @Test func eachRootHasItsOwnPath() async throws {
        let database = InMemoryRecordDatabase()
        let graph = try graph(roots: 1...3)
        try await database.save(graph)
        let ids = graph.roots
        for id in ids {
            let alone = await #expect(throws: DecodingError.self) {
                try await RecordDecoder().decode(Root<Bad>.self, from: id, in: database)
            }
            let records = try await database.records(for: ids)
            let results = try await RecordDecoder().resolveEach(Root<Bad>.self, from: records, in: database).value
            let position = try #require(ids.firstIndex(of: id))
            let together = #expect(throws: DecodingError.self) { try results[position].get() }
            #expect(alone.map { "\($0)" } == together.map { "\($0)" })
        }
    }

    @Test func errorOfATypesOwnHasTheSameFormForEachRoot() async throws {
        let database = InMemoryRecordDatabase()
        try await database.save(try graph(roots: 1...2))
        let ids = try [Record.ID("Bad/bad")]
        let alone = await #expect(throws: DecodingError.self) {
            try await RecordDecoder().decode(Throwing.self, from: ids[0], in: database)
        }
        let records = try await database.records(for: ids)
        let results = try await RecordDecoder().resolveEach(Throwing.self, from: records, in: database).value
        let together = #expect(throws: DecodingError.self) { try results[0].get() }
        #expect(alone.map { "\($0)" } == together.map { "\($0)" })
    }
}

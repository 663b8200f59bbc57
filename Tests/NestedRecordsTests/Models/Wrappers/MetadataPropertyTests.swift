import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct MetadataPropertyTests {
    struct Counter: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var count: Int
        var metadata: Record.Metadata?
        var parts: [Counter] = []
    }

    @Test func valueCarriesTheVersionThatItWasReadWith() async throws {
        let database = InMemoryRecordDatabase()
        let saved = try await database.values.overwrite(Counter(id: "a", count: 0, parts: [Counter(id: "b", count: 1)]))
        var counter = try await database.values.fetch(Counter.self, named: "a").value
        #expect(counter.metadata == saved.metadata)
        #expect(counter.parts.map(\.metadata) == saved.parts.map(\.metadata))
        counter.count = 5
        let graph = try RecordEncoder().encode(counter)
        #expect(graph.allSatisfy { $0["metadata"] == nil })
        #expect(try graph[Record.ID("Counter/a")]?.metadata == counter.metadata)
        try await database.values.overwrite(counter)
    }

    @Test func staleValueIsRefusedWithBothRecords() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Counter(id: "a", count: 0))
        var mine = try await database.values.fetch(Counter.self, named: "a").value
        var theirs = mine
        theirs.count = 10
        try await database.values.overwrite(theirs)
        mine.count = 1
        let error = try await #require(throws: RecordDatabaseError.self) {
            try await database.save(RecordEncoder().encode(mine))
        }
        #expect(error.code == .conflict)
        #expect(error.clientRecord?["count"] == 1)
        #expect(error.clientRecord?.metadata == mine.metadata)
        #expect(error.serverRecord?["count"] == 10)
    }

    @Test func unsavedRecordHasNone() throws {
        let graph = try RecordEncoder().encode(Counter(id: "a", count: 0))
        #expect(try RecordDecoder().decode(Counter.self, from: graph).metadata == nil)
    }

    struct Strict: RecordCodable, Identifiable {
        var id: String
        var metadata: Record.Metadata
    }

    @Test func requiredMetadataOfAnUnsavedRecordAreAnError() throws {
        let graph = try RecordGraph([Flat.record("Strict/a", ["id": "a"])])
        let failure = CodingFailure.of { try RecordDecoder().decode(Strict.self, from: graph) }
        #expect(failure?.kind == .valueNotFound && failure?.path == "metadata")
    }

    private static func metadata(_ tag: String) -> Record.Metadata {
        Record.Metadata(changeTag: tag, creationDate: .distantPast, modificationDate: .distantPast)
    }

    @Test func equalCopiesMayLackMetadataButNotDifferInThem() throws {
        let one = Counter(id: "b", count: 1, metadata: Self.metadata("1"))
        let none = Counter(id: "b", count: 1)
        for parts in [[one, none], [none, one], [one, none, one]] {
            let graph = try RecordEncoder().encode(Counter(id: "a", count: 0, parts: parts))
            #expect(try graph[Record.ID("Counter/b")]?.metadata?.changeTag == "1")
        }
        let other = Counter(id: "b", count: 1, metadata: Self.metadata("2"))
        let error = #expect(throws: RecordError.self) {
            try RecordEncoder().encode(Counter(id: "a", count: 0, parts: [one, other]))
        }
        #expect(error?.code == .conflict && error?.field == "metadata")
        #expect(error?.recordID?.description == "Counter/b")
        #expect(error?.firstPath.text == "parts.0" && error?.secondPath.text.hasPrefix("parts.1") == true)
    }

    struct Log: Codable, Equatable {
        var metadata: Record.Metadata?
    }

    struct Archive: RecordCodable, Identifiable, Equatable {
        var id: String
        var entry: Log
        var entries: [Log]
        var history: [Record.Metadata]
    }

    @Test(arguments: [EmbeddingStrategy.map, .flattened()])
    func metadataElsewhereAreOrdinaryValues(_ strategy: EmbeddingStrategy) throws {
        let (encoder, decoder) = coders(strategy)
        let log = Log(metadata: Self.metadata("1"))
        let archive = Archive(id: "a", entry: log, entries: [log, Log()], history: [Self.metadata("2")])
        let graph = try encoder.encode(archive)
        #expect(graph[0].metadata == nil)
        #expect(try decoder.decode(Archive.self, from: graph) == archive)
    }

    @Test func jsonHasThePlainForm() throws {
        let counter = Counter(id: "a", count: 1, metadata: Self.metadata("1"))
        #expect(try JSONDecoder().decode(Counter.self, from: JSONEncoder().encode(counter)) == counter)
    }
}

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
        let saved = try await database.save(
            Counter(id: "a", count: 0, parts: [Counter(id: "b", count: 1)]),
            options: SaveOptions(savePolicy: .ifUnchanged))
        var counter = try await database.load(Counter.self, named: "a")
        #expect(try counter.metadata == saved[Record.ID(of: counter)])
        #expect(try counter.parts.map(\.metadata) == [saved[Record.ID("Counter/b")]])
        counter.count = 5
        let graph = try RecordEncoder().encode(counter)
        #expect(graph.allSatisfy { $0["metadata"] == nil })
        #expect(try graph[Record.ID("Counter/a")]?.metadata == counter.metadata)
        try await database.save(counter, options: SaveOptions(savePolicy: .ifUnchanged))
    }

    @Test func staleValueIsRefusedWithBothRecords() async throws {
        let database = InMemoryRecordDatabase()
        try await database.save(Counter(id: "a", count: 0))
        var mine = try await database.load(Counter.self, named: "a")
        var theirs = mine
        theirs.count = 10
        try await database.save(theirs)
        mine.count = 1
        let error = try await #require(throws: RecordDatabaseError.self) { try await database.save(mine) }
        guard error.code == .conflict, let client = error.clientRecord, let server = error.serverRecord else {
            Issue.record("\(error)")
            return
        }
        #expect(client["count"] == 1)
        #expect(client.metadata == mine.metadata)
        #expect(server["count"] == 10)
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
        let error = try #require(throws: DecodingError.self) { try RecordDecoder().decode(Strict.self, from: graph) }
        guard case .valueNotFound(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["metadata"])
        #expect(context.debugDescription.contains("the record was never saved"))
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
        #expect {
            try RecordEncoder().encode(Counter(id: "a", count: 0, parts: [one, other]))
        } throws: { error in
            guard let error = error as? RecordError, error.code == .conflict, let id = error.recordID,
                error.field == "metadata", case let first = error.firstPath, case let second = error.secondPath
            else { return false }
            return id.description == "Counter/b" && first.map(\.stringValue) == ["parts", "Index 0"]
                && second.map(\.stringValue).starts(with: ["parts", "Index 1"])
        }
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
        var encoder = RecordEncoder()
        encoder.embeddingStrategy = strategy
        var decoder = RecordDecoder()
        decoder.embeddingStrategy = strategy
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

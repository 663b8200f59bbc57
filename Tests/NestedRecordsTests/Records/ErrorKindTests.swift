import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct ErrorKindTests {
    private struct Note: RecordCodable, Identifiable {
        var id: String
        var text = "t"
    }

    private struct Foreign: Error {}

    private func kind(of call: () async throws -> Void) async -> ErrorKind? {
        do {
            try await call()
            return nil
        } catch {
            return ErrorKind(of: error)
        }
    }

    @Test func eachKindOfFailureHasOneKindOfError() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(Note(id: "a"))
        func save(_ record: Record) async throws {
            try await database.commit(RecordBatch(saving: [record]))
        }
        let stored = try await database.record(for: Record.ID("Note/a"))
        #expect(await kind { _ = try await database.values.fetch(Note.self, named: "b").value } == .notFound)
        #expect(await kind { try await save(Record(id: Record.ID("Note/a"))) } == .alreadyExists)
        let old = try #require(stored)
        try await save(old)
        #expect(await kind { try await save(old) } == .conflict)
        #expect(await kind { _ = try RecordEncoder().encode(Note(id: "")) } == .invalidInput)
        #expect(await kind { _ = try Location("x") } == .invalidInput)
        let other = try RecordGraph([Flat.record("Note/n", ["id": "n", "text": 1])])
        #expect(await kind { _ = try RecordDecoder().decode(Note.self, from: other) } == .damaged)
        #expect(await kind { throw Foreign() } == nil)
        #expect(await kind { throw CancellationError() } == nil)
    }

    @Test func partOfASaveHasTheKindOfWhatHasInterruptedIt() throws {
        let full = RecordDatabaseError.Code("quotaExceeded", kind: .unavailable, isTransient: true)
        let cause = RecordDatabaseError(full)
        #expect(cause.isTransient && cause.kind == .unavailable)
        #expect(
            RecordDatabaseError.partiallySaved([:], underlyingError: RecordDatabaseError(.duplicateID)).kind
                == .invalidInput)
        #expect(RecordDatabaseError(.refused).kind == .unsupported)
        #expect(RecordDatabaseError(.refused, isTransient: true).kind == .unavailable)
        #expect(RecordDatabaseError.partiallyDeleted([], underlyingError: Foreign()).kind == .unavailable)
    }
}

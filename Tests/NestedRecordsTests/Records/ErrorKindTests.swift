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

    @Test func clientsJSONIsInputAndAStoredRecordIsDamage() async throws {
        let json = JSONDecoder()
        #expect(await kind { _ = try json.decode(Note.self, from: Data("{".utf8)) } == .invalidInput)
        #expect(await kind { _ = try json.decode(Note.self, from: Data(#"{"id":1}"#.utf8)) } == .invalidInput)
        let database = InMemoryRecordDatabase()
        for fields: Record.Fields in [["id": "n", "text": 1], ["id": "n"], ["id": "n", "text": .null]] {
            try await database.commit(RecordBatch(saving: [Flat.record("Note/n", fields)], savePolicy: .overwrite))
            #expect(await kind { _ = try await database.values.fetch(Note.self, named: "n") } == .damaged)
            #expect(await kind { _ = try await database.values.query(Note.self).all() } == .damaged)
        }
        do {
            _ = try await database.values.fetch(Note.self, named: "n")
        } catch DecodingError.valueNotFound(_, let context) {
            let cause = try #require(context.underlyingError as? RecordError)
            #expect(cause.code == .unreadableRecord)
            #expect(try cause.recordID == Record.ID("Note/n"))
            #expect(cause.context.field == "text")
            #expect(cause.description == "the record Note/n cannot be read as it is stored")
        }
    }

    @Test func errorOfATypesOwnCodeIsTheCauseOfDamage() throws {
        struct Picky: RecordCodable, Identifiable {
            var id: String

            init(from decoder: any Decoder) throws { throw Foreign() }
        }
        let graph = try RecordGraph([Flat.record("Picky/p", ["id": "p"])])
        do {
            _ = try RecordDecoder().decode(Picky.self, from: graph)
            Issue.record("nothing was thrown")
        } catch DecodingError.dataCorrupted(let context) {
            let cause = try #require(context.underlyingError as? RecordError)
            #expect(cause.code == .unreadableRecord && cause.underlyingError is Foreign)
        }
    }

    @Test func cycleOfStoredRecordsIsDamage() async throws {
        struct Node: RecordCodable, Identifiable {
            var id: String
            var others: [Node]
        }
        let cycle = try RecordGraph(
            [
                Flat.record("Node/a", ["id": "a", "others": Flat.references(["Node/b"])]),
                Flat.record("Node/b", ["id": "b", "others": Flat.references(["Node/a"])]),
            ], roots: [Record.ID("Node/a")])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Node.self, from: cycle) }
        #expect(error?.code == .referenceCycle && error?.kind == .damaged)
    }

    @Test func partOfASaveHasTheKindOfWhatHasInterruptedIt() throws {
        let full = RecordDatabaseError.Code("roomIsFull", kind: .unavailable, isTransient: true)
        let cause = RecordDatabaseError(full)
        #expect(cause.isTransient && cause.kind == .unavailable)
        #expect(
            RecordDatabaseError(.partiallySaved, .saved([:]), underlyingError: RecordDatabaseError(.duplicateID)).kind
                == .invalidInput)
        #expect(RecordDatabaseError(.refused).kind == .unsupported)
        #expect(RecordDatabaseError(.refused, isTransient: true).kind == .unavailable)
        #expect(RecordDatabaseError(.partiallyDeleted, underlyingError: Foreign()).kind == .unavailable)
    }
}

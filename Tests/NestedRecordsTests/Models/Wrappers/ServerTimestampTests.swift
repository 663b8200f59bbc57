import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct ServerTimestampTests {
    struct Note: RecordCodable, Identifiable, Equatable {
        var id: String
        @ServerTimestamp var updatedAt: Date? = nil
        var revisions: [Revision] = []
        var latest: Revision?
    }

    struct Revision: Codable, Equatable {
        @ServerTimestamp var time: Date? = nil
    }

    private let noon = Date(timeIntervalSinceReferenceDate: 43_200)

    @Test func nilIsFilledWithTheTimeOfTheSave() async throws {
        let database = InMemoryRecordDatabase(now: { [noon] in noon })
        let note = Note(id: "n", revisions: [Revision(), Revision(time: .distantPast)], latest: Revision())
        let saved = try await database.values.overwrite(note)
        let loaded = try await database.values.fetch(Note.self, named: "n").value
        #expect(loaded.updatedAt == noon)
        #expect(loaded.revisions.map(\.time) == [noon, .distantPast])
        #expect(loaded.latest?.time == noon)
        #expect(saved.metadata?.modificationDate == noon)
    }

    @Test func dateStaysUntilItIsNilAgain() async throws {
        let clock = TickingClock()
        let database = InMemoryRecordDatabase(now: clock.now)
        try await database.values.overwrite(Note(id: "n"))
        var note = try await database.values.fetch(Note.self, named: "n").value
        let first = try #require(note.updatedAt)
        try await database.values.overwrite(note)
        #expect(try await database.values.fetch(Note.self, named: "n").value.updatedAt == first)
        note.updatedAt = nil
        try await database.values.overwrite(note)
        #expect(try await database.values.fetch(Note.self, named: "n").value.updatedAt == first.addingTimeInterval(2))
    }

    @Test func unsavedTimestampComesBackAsNil() async throws {
        let note = Note(id: "n", revisions: [Revision()])
        let graph = try RecordEncoder().encode(note)
        #expect(graph[0]["updatedAt"] == .serverTimestamp)
        #expect(graph[0]["revisions"] == [["time": .serverTimestamp]])
        #expect(try RecordDecoder().decode(Note.self, from: graph) == note)
    }

    @Test func missingAndNullFieldsAreNil() throws {
        for fields: Record.Fields in [["id": "n", "revisions": []], ["id": "n", "revisions": [], "updatedAt": .null]] {
            let graph = try RecordGraph([Flat.record("Note/n", fields)])
            #expect(try RecordDecoder().decode(Note.self, from: graph).updatedAt == nil)
        }
    }

    struct Plain: RecordCodable, Identifiable {
        var id: String
        var updatedAt: Date?
    }

    @Test func unsavedTimestampIsNotADate() throws {
        let graph = try RecordGraph([Flat.record("Plain/n", ["id": "n", "updatedAt": .serverTimestamp])])
        let error = try #require(throws: DecodingError.self) { try RecordDecoder().decode(Plain.self, from: graph) }
        #expect("\(error)".contains("Date was expected, found a server timestamp that is not filled in yet"))
    }

    @Test func jsonHasAPlainOptionalDate() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        let empty = try encoder.encode(Revision())
        #expect(String(decoding: empty, as: UTF8.self) == "{}")
        let data = try encoder.encode(Revision(time: noon))
        #expect(String(decoding: data, as: UTF8.self) == #"{"time":"2001-01-01T12:00:00Z"}"#)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        #expect(try decoder.decode(Revision.self, from: data) == Revision(time: noon))
        #expect(try decoder.decode(Revision.self, from: Data("{\"time\":null}".utf8)) == Revision())
        #expect(try decoder.decode(Revision.self, from: empty) == Revision())
    }

    @Test func timestampsStandInListsAndDictionaries() throws {
        let list = Holder([ServerTimestamp(wrappedValue: nil), ServerTimestamp(wrappedValue: noon)])
        #expect(try RecordDecoder().decode(type(of: list), from: RecordEncoder().encode(list)) == list)
        let graph = try RecordEncoder().encode(Holder(["a": ServerTimestamp(wrappedValue: nil)]))
        #expect(graph[0]["value"] == ["a": .serverTimestamp])
    }

    @Test func typeThatHandsItsCoderToATimestampKeepsIt() throws {
        let record = RecordOf(ServerTimestamp(wrappedValue: nil))
        let graph = try RecordEncoder().encode(record)
        #expect(graph[0].fields == ["$value": .serverTimestamp])
        #expect(try RecordDecoder().decode(type(of: record), from: graph) == record)
    }
}

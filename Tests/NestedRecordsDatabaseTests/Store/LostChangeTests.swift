import NestedRecords
import TestSupport
import Testing

/// Changes that must be saved, merged or refused, and never be lost.
@Suite struct LostChangeTests {
    struct Note: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var viewCount = 0
        var likeCount = 0
    }

    struct Versioned: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var text = ""
        var metadata: Record.Metadata?
    }

    struct Folder: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var notes: [Note]
    }

    @Test func updateWithADecoderOfOtherFieldNamesIsReadBackByIt() async throws {
        let memory = InMemoryRecordDatabase()
        let (encoder, decoder) = coders(keys: .snakeCase)
        try await memory.values(coding: encoder.coding).overwrite(Note(id: "n"))
        let returned = try await memory.values(coding: decoder.coding).update(Note.self, named: "n") {
            $0.viewCount = 1
        }
        #expect(returned.viewCount == 1)
        #expect(try await memory.values(coding: decoder.coding).fetch(Note.self, named: "n").value.viewCount == 1)
    }

    @Test func moreRecordsInConflictThanAttemptsAreMergedIfEachIsInConflictOnce() async throws {
        let memory = InMemoryRecordDatabase()
        let ids = (0..<12).map { "n\($0)" }
        try await memory.values.overwrite(Folder(id: "f", notes: ids.map { Note(id: $0) }))
        var mine = try await memory.values.fetch(Folder.self, named: "f")
        for id in ids { try await memory.values.update(Note.self, named: id) { $0.viewCount = 1 } }
        for index in mine.notes.indices { mine.notes[index].likeCount = 1 }
        try await memory.values.save(&mine, merging: { try $0.merged() })
        let merged = try await memory.values.fetch(Folder.self, named: "f").value
        #expect(merged.notes == ids.map { Note(id: $0, viewCount: 1, likeCount: 1) })
    }

    @Test func returnedValueHasTheVersionOfItsSave() async throws {
        let memory = InMemoryRecordDatabase()
        var value = Versioned(id: "v")
        for text in ["first", "second", "third"] {
            value.text = text
            value = try await memory.values.overwrite(value).value
            #expect(try await memory.values.fetch(Versioned.self, named: "v").value == value)
        }
        #expect(value.text == "third")
    }

    @Test func manyIncrementsAllCountWithTheDefaultAttemptsWhereADatabaseTakesItsTime() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Note(id: "n"))
        let database = CountingDatabase(memory, beforeSave: { _ in await Task.yield() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { try await database.values.update(Note.self, named: "n") { $0.viewCount += 1 } }
            }
            try await group.waitForAll()
        }
        #expect(try await memory.values.fetch(Note.self, named: "n").value.viewCount == 100)
    }
}

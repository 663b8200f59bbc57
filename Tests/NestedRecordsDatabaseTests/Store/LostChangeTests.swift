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

    @Test func mergingFromABaselineWithoutVersionsLosesNeitherSide() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Note(id: "n"))
        var mine = try await memory.values.fetch(Note.self, named: "n").value
        let baseline = try RecordEncoder().encode(mine)
        try await memory.values.update(Note.self, named: "n") { $0.viewCount = 1 }
        mine.likeCount = 1
        try await memory.save(RecordEncoder().encode(mine), changedFrom: baseline) { try $0.merged() }
        let merged = try await memory.values.fetch(Note.self, named: "n").value
        #expect(merged == Note(id: "n", viewCount: 1, likeCount: 1))
    }

    @Test func moreRecordsInConflictThanAttemptsAreMergedIfEachIsInConflictOnce() async throws {
        let memory = InMemoryRecordDatabase()
        let ids = (0..<12).map { "n\($0)" }
        try await memory.values.overwrite(Folder(id: "f", notes: ids.map { Note(id: $0) }))
        let read = try await RecordDecoder().resolve(Folder.self, from: Record.ID("Folder/f"), in: memory)
        for id in ids { try await memory.values.update(Note.self, named: id) { $0.viewCount = 1 } }
        var mine = read.value
        for index in mine.notes.indices { mine.notes[index].likeCount = 1 }
        try await memory.save(RecordEncoder().encode(mine), changedFrom: read.graph) { try $0.merged() }
        let merged = try await memory.values.fetch(Folder.self, named: "f").value
        #expect(merged.notes == ids.map { Note(id: $0, viewCount: 1, likeCount: 1) })
    }

    @Test func valueThatCarriesItsVersionIsSavedAgainFromTheBaselineOfItsLastSave() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Versioned(id: "v"))
        let read = try await RecordDecoder().resolve(Versioned.self, from: Record.ID("Versioned/v"), in: memory)
        var value = read.value
        value.text = "first"
        let baseline = try await memory.save(RecordEncoder().encode(value), changedFrom: read.graph) { try $0.merged() }
        value.text = "second"
        try await memory.save(RecordEncoder().encode(value), changedFrom: baseline) { try $0.merged() }
        #expect(try await memory.values.fetch(Versioned.self, named: "v").value.text == "second")
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

import NestedRecords
import TestSupport
import Testing

/// Merging saves that delete removed records to which another writer has made new references.
@Suite struct KeptTargetTests {
    private struct Kid: RecordCodable, Identifiable, Equatable {
        var id: String
        var age = 7
        var toys: [Toy] = []
        static let recordType = "KeptKid"
    }

    private struct Toy: RecordCodable, Identifiable, Equatable {
        var id: String
        static let recordType = "KeptToy"
    }

    private struct Office: RecordCodable, Identifiable, Equatable {
        var id: String
        var head: Kid
        static let recordType = "KeptOffice"
    }

    private struct Class: RecordCodable, Identifiable, Equatable {
        var id = "c"
        var speaker: Kid?
        var office: Office?
        var kids: [Kid]
        static let recordType = "KeptClass"
    }

    private func makeDatabase(batchLimit: Int = .max) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase(batchLimit: batchLimit)
        let kids = ["a", "b", "d"].map { Kid(id: $0, toys: [Toy(id: "toy of \($0)")]) }
        try await database.values.insert(Class(kids: kids))
        return database
    }

    private func check(_ database: some RecordDatabase, _ condition: (Class) -> Bool) async throws {
        #expect(try await database.danglingReferences().isEmpty)
        #expect(condition(try await database.values.fetch(Class.self, named: "c").value))
        // What nobody refers to is deleted all the same.
        #expect(try await database.values.fetchIfPresent(Kid.self, named: "d")?.value == nil)
        #expect(try await database.values.fetchIfPresent(Toy.self, named: "toy of d")?.value == nil)
    }

    @Test(arguments: [1, 2, 100]) func mergedRecordKeepsWhatItRefersTo(batchLimit: Int) async throws {
        let database = try await makeDatabase(batchLimit: batchLimit)
        var mine = try await database.values.fetch(Class.self, named: "c")
        mine.kids.removeAll { $0.id != "b" }
        try await database.values.update(Class.self, named: "c") { $0.speaker = $0.kids[0] }
        try await database.values.save(&mine, merging: { try $0.merged() }, deletesRemovedRecords: true)
        #expect(mine.speaker?.toys.map(\.id) == ["toy of a"] && mine.kids.map(\.id) == ["b"])
        try await check(database) { $0 == mine.value }
        // Once nobody refers to it any more, it can be deleted.
        mine.speaker = nil
        try await database.values.save(&mine, deletesRemovedRecords: true)
        #expect(try await database.values.fetchIfPresent(Kid.self, named: "a")?.value == nil)
        #expect(try await database.values.fetchIfPresent(Toy.self, named: "toy of a")?.value == nil)
    }

    @Test func newRecordOfAnotherWriterKeepsWhatItRefersTo() async throws {
        let database = try await makeDatabase()
        var mine = try await database.values.fetch(Class.self, named: "c")
        mine.kids.removeAll { $0.id != "b" }
        try await database.values.update(Class.self, named: "c") { $0.office = Office(id: "o", head: $0.kids[0]) }
        try await database.values.save(&mine, merging: { try $0.merged() }, deletesRemovedRecords: true)
        #expect(mine.office?.head.id == "a")
        try await check(database) { $0 == mine.value }
    }

    /// The record is referred to only when the merged one is in conflict again.
    @Test func secondMergeKeepsWhatTheRecordRefersTo() async throws {
        let memory = try await makeDatabase()
        var mine = try await memory.values.fetch(Class.self, named: "c")
        mine.kids.removeAll { $0.id != "b" }
        try await memory.values.update(Class.self, named: "c") { $0.kids[1].age = 8 }
        try await memory.values.update(Class.self, named: "c") { $0.kids.append(Kid(id: "e")) }
        let database = CountingDatabase(memory) { number in
            if number == 3 { try await memory.values.update(Class.self, named: "c") { $0.speaker = $0.kids[0] } }
        }
        let mergeCount = Locked(0)
        let merge: (SaveConflict) throws -> Record = { conflict in
            mergeCount.withLock { $0 += 1 }
            return conflict.merged { $0.client }
        }
        try await database.values.save(&mine, merging: merge, deletesRemovedRecords: true)
        #expect(mergeCount.withLock { $0 } == 2)
        #expect(mine.speaker?.id == "a")
        try await check(memory) { $0 == mine.value }
    }

    @Test func saveThatIsRepeatedAfterAConflictKeepsWhatTheRecordRefersTo() async throws {
        let database = try await makeDatabase(batchLimit: 1)
        var mine = try await database.values.fetch(Class.self, named: "c")
        mine.kids.removeAll { $0.id != "b" }
        mine.kids[0].age = 9
        try await database.values.update(Class.self, named: "c") { $0.speaker = $0.kids[0] }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&mine, deletesRemovedRecords: true)
        }
        #expect(error?.code == .partiallySaved)
        try await database.values.save(&mine, merging: { try $0.merged() }, deletesRemovedRecords: true)
        #expect(mine.kids.map(\.age) == [9])
        try await check(database) { $0 == mine.value && $0.speaker?.id == "a" }
    }
}

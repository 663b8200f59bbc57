import NestedRecords
import TestSupport
import Testing

@Suite struct ChangedSaveFailureTests {
    struct Broken: Error {}

    @Test(arguments: [1, 2]) func failureInALaterBatchTellsWhatIsSavedAndCanBeContinued(batchLimit: Int) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(
            School.sample(pupils: ["a", "b", "c", "d"]), batchLimit: batchLimit)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Broken() } }
        var school = School.sample(pupils: ["a", "b", "c"])
        for index in school.pupils.indices { school.pupils[index].age = 9 }
        let graph = try RecordEncoder().encode(school)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(graph, changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        }
        guard error?.code == .partiallySaved, let saved = error?.savedMetadata, error?.underlyingError is Broken else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(Set(saved.keys.map(\.name)) == Set(["a", "b"].prefix(batchLimit)))
        #expect(database.modifications.count == 2)

        try await database.save(
            graph.updated(with: saved), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        #expect(try await database.load(School.self, named: "hilltop") == school)
        #expect(try await memory.texts.contains("Pupil/d") == false)
    }

    @Test func failureInTheOnlyBatchIsTheDatabasesOwn() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory) { _ in throw Broken() }
        await #expect(throws: Broken.self) { try await database.save(School(), changedFrom: baseline) }
    }

    @Test func deletionThatFailsAfterTheSavesTellsAllThatIsSaved() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Broken() } }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(
                School.sample(pupils: ["ann"]), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true)
            )
        }
        guard error?.code == .partiallySaved, let saved = error?.savedMetadata, error?.underlyingError is Broken else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(saved.keys.map(\.description) == ["School/hilltop"])
        #expect(database.modifications.map(\.texts) == [["School/hilltop"], ["-Pupil/bo"]])
    }
}

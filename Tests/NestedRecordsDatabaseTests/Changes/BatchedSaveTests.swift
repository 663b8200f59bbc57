import NestedRecords
import TestSupport
import Testing

@Suite struct BatchedSaveTests {
    @Test(arguments: [1, 2, 7])
    func largeChangesAreSplitWithTargetsFirstAndDeletionsLast(batchLimit: Int) async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(
            Station(0, next: Station(1, next: Station(2, next: Station(3)))), batchLimit: batchLimit)
        let database = CountingDatabase(memory)
        var station = try await memory.values.fetch(Station.self, named: "0")
        station.next = Station(4, next: Station(5, next: Station(6)))
        try await database.values.save(&station, deletesRemovedRecords: true)
        let expected = [
            "Station/6", "Station/5", "Station/4", "Station/0", "-Station/1", "-Station/2", "-Station/3",
        ]
        #expect(database.modifications.flatMap(\.texts) == expected)
        #expect(database.modifications.count == (7 + batchLimit - 1) / batchLimit)
        #expect(database.modifications.allSatisfy { $0.texts.count <= batchLimit })
        #expect(try await memory.texts == ["Station/0", "Station/4", "Station/5", "Station/6"])
    }

    @Test func nothingOfABatchIsDeletedWhenASaveIsRefused() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        try await memory.set("visits", of: "School/hilltop", to: 9)
        school.pupils = []
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.save(&school, deletesRemovedRecords: true)
        }
        #expect(error?.code == .conflict && error?.serverRecord?["visits"] == 9)
        #expect(try await memory.texts.count == 4)
    }

    @Test func failedDeletionAfterTheSavesReportsAllThatIsSaved() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Malfunction() } }
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        school.pupils.removeLast()
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&school, deletesRemovedRecords: true)
        }
        #expect(error?.code == .partiallySaved && error?.underlyingError is Malfunction)
        #expect(error?.savedMetadata.keys.map(\.description) == ["School/hilltop"])
        #expect(database.modifications.map(\.texts) == [["School/hilltop"], ["-Pupil/bo"]])
    }

    @Test func failureInTheOnlyBatchIsTheDatabasesOwn() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory) { _ in throw Malfunction() }
        await #expect(throws: Malfunction.self) { try await database.values.overwrite(School()) }
    }

    @Test(arguments: [1, 2]) func graphIsSavedInBatches(batchLimit: Int) async throws {
        let graph = try RecordEncoder().encode(School.sample())
        let memory = InMemoryRecordDatabase(batchLimit: batchLimit)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Malfunction() } }
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.save(graph) }
        #expect(error?.code == .partiallySaved && error?.underlyingError is Malfunction)
        #expect(Set(error?.savedMetadata.keys.map { $0 } ?? []) == Set(graph.prefix(batchLimit).map(\.id)))
        let again = await #expect(throws: RecordDatabaseError.self) { try await database.save(graph) }
        #expect(again?.code == .conflict)
        #expect(try await database.save(graph, savePolicy: .overwrite).count == 4)
        #expect(try await database.values.fetch(School.self, named: "hilltop").value == School.sample())
    }

    @Test func ofTwoTasksWithOneVersionExactlyOneWins() async throws {
        for _ in 0..<50 {
            let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
            let pupil = try await memory.values.fetch(Pupil.self, named: "ann")
            let results = await withTaskGroup(of: Result<Int, any Error>.self) { group in
                for age in [21, 22] {
                    group.addTask {
                        await Result {
                            var pupil = pupil
                            pupil.age = age
                            try await memory.values.save(&pupil)
                            return age
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let winners = results.compactMap { try? $0.get() }
            #expect(winners.count == 1)
            #expect(try await memory.values.fetch(Pupil.self, named: "ann").age == winners.first)
        }
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct ChangedSaveTests {
    @Test func unchangedGraphMakesNoCall() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        let metadata = try await database.save(
            School.sample(), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        #expect(metadata.isEmpty)
        #expect(database.modifications.isEmpty)
        #expect(database.calls.isEmpty)
    }

    @Test func onlyNewAndChangedRecordsAreSentInOneBatch() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        var school = School.sample(pupils: ["ann", "cy"])
        school.pupils[0].age = 8
        let metadata = try await database.save(school, changedFrom: baseline)
        #expect(database.modifications.map(\.texts) == [["Pupil/ann", "Pupil/cy", "School/hilltop"]])
        #expect(database.modifications[0].saved.map { $0.metadata != nil } == [true, false, true])
        #expect(Set(metadata.keys) == Set(database.modifications[0].saved.map(\.id)))
        #expect(try await database.load(School.self, named: "hilltop") == school)
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/bo", "Pupil/cy", "Pupil/dee", "School/hilltop"])
    }

    @Test func propertyThatIsNilNowIsCleared() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = School.sample()
        school.motto = nil
        school.address?.number = nil
        try await memory.save(school, changedFrom: baseline)
        #expect(try await memory.fetch("School/hilltop")["motto"] == nil)
        #expect(try await memory.fetch("School/hilltop")["address"] == ["street": "Hill Road"])
    }

    @Test func removedRecordsAreDeletedInTheSameBatchIfAsked() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        try await database.save(
            School.sample(pupils: ["ann"]), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        #expect(database.modifications.map(\.texts) == [["School/hilltop", "-Pupil/bo"]])
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/dee", "School/hilltop"])
    }

    @Test func nothingOfABatchIsDeletedWhenASaveIsRefused() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("visits", of: "School/hilltop", to: 9)
        await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(
                School.sample(pupils: []), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        }
        #expect(try await memory.texts.count == 4)
    }

    @Test(arguments: [1, 2, 7])
    func largeChangesAreSplitWithTargetsFirstAndDeletionsLast(batchLimit: Int) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(
            Station(0, next: Station(1, next: Station(2, next: Station(3)))), batchLimit: batchLimit)
        let database = CountingDatabase(memory)
        let changed = Station(0, next: Station(4, next: Station(5, next: Station(6))))
        try await database.save(changed, changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        let expected = [
            "Station/6", "Station/5", "Station/4", "Station/0", "-Station/1", "-Station/2", "-Station/3",
        ]
        #expect(database.modifications.flatMap(\.texts) == expected)
        #expect(database.modifications.count == (7 + batchLimit - 1) / batchLimit)
        #expect(database.modifications.allSatisfy { $0.texts.count <= batchLimit })
        #expect(try await memory.texts == ["Station/0", "Station/4", "Station/5", "Station/6"])
    }

    @Test(arguments: [1, 2, 7])
    func changesOfRingsAreSaved(batchLimit: Int) async throws {
        let (first, last) = Station.ring(of: 7)
        defer { last.next = nil }
        let encoder = RecordEncoder.allowingCycles
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(
            first, batchLimit: batchLimit, encoder: encoder)
        let database = CountingDatabase(memory)
        try await database.save(first, changedFrom: baseline, encoder: encoder)
        #expect(database.modifications.isEmpty)
        first.name = "Central"
        last.name = "Terminus"
        try await database.save(first, changedFrom: baseline, encoder: encoder)
        #expect(database.modifications.flatMap(\.texts) == ["Station/7", "Station/1"])
        #expect(try await memory.fetch("Station/7")["name"] == "Terminus")
    }

    @Test(arguments: SavePolicy.allCases)
    func newRecordFollowsTheSavePolicy(savePolicy: SavePolicy) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample(pupils: []))
        try await memory.save(Pupil(id: "cy", age: 12))
        let result = await Result {
            try await memory.save(
                School.sample(pupils: ["cy"]), changedFrom: baseline, options: SaveOptions(savePolicy: savePolicy))
        }
        if savePolicy == .ifUnchanged {
            guard case .failure(let error as RecordDatabaseError) = result, error.code == .conflict,
                let client = error.clientRecord, let server = error.serverRecord
            else {
                Issue.record("\(result)")
                return
            }
            #expect(client["age"] == 7)
            #expect(server["age"] == 12)
        } else {
            #expect(try result.get().count == 2)
            #expect(try await memory.fetch("Pupil/cy")["age"] == 7)
        }
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct ChangedSaveTests {
    @Test func unchangedGraphMakesNoCall() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        let metadata = try await database.save(
            RecordEncoder().encode(School.sample()), changedFrom: baseline,
            options: SaveOptions(deletesRemovedRecords: true))
        #expect(metadata.isEmpty)
        #expect(database.modifications.isEmpty)
        #expect(database.calls.isEmpty)
    }

    @Test func onlyNewAndChangedRecordsAreSentInOneBatch() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        var school = School.sample(pupils: ["ann", "cy"])
        school.pupils[0].age = 8
        let metadata = try await database.save(RecordEncoder().encode(school), changedFrom: baseline)
        #expect(database.modifications.map(\.texts) == [["Pupil/ann", "Pupil/cy", "School/hilltop"]])
        #expect(database.modifications[0].saved.map { $0.metadata != nil } == [true, false, true])
        #expect(Set(metadata.keys) == Set(database.modifications[0].saved.map(\.id)))
        #expect(try await database.values.fetch(School.self, named: "hilltop").value == school)
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/bo", "Pupil/cy", "Pupil/dee", "School/hilltop"])
    }

    @Test func propertyThatIsNilNowIsCleared() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = School.sample()
        school.motto = nil
        school.address?.number = nil
        try await memory.save(RecordEncoder().encode(school), changedFrom: baseline)
        #expect(try await memory.fetch("School/hilltop")["motto"] == nil)
        #expect(try await memory.fetch("School/hilltop")["address"] == ["street": "Hill Road"])
    }

    @Test func removedRecordsAreDeletedInTheSameBatchIfAsked() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        try await database.save(
            RecordEncoder().encode(School.sample(pupils: ["ann"])), changedFrom: baseline,
            options: SaveOptions(deletesRemovedRecords: true))
        #expect(database.modifications.map(\.texts) == [["School/hilltop", "-Pupil/bo"]])
        #expect(try await memory.texts == ["Pupil/ann", "Pupil/dee", "School/hilltop"])
    }

    @Test func nothingOfABatchIsDeletedWhenASaveIsRefused() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("visits", of: "School/hilltop", to: 9)
        await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(
                RecordEncoder().encode(School.sample(pupils: [])), changedFrom: baseline,
                options: SaveOptions(deletesRemovedRecords: true))
        }
        #expect(try await memory.texts.count == 4)
    }

    @Test(arguments: [1, 2, 7])
    func largeChangesAreSplitWithTargetsFirstAndDeletionsLast(batchLimit: Int) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(
            Station(0, next: Station(1, next: Station(2, next: Station(3)))), batchLimit: batchLimit)
        let database = CountingDatabase(memory)
        let changed = Station(0, next: Station(4, next: Station(5, next: Station(6))))
        try await database.save(
            RecordEncoder().encode(changed), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
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
        try await database.save(encoder.encode(first), changedFrom: baseline)
        #expect(database.modifications.isEmpty)
        first.name = "Central"
        last.name = "Terminus"
        try await database.save(encoder.encode(first), changedFrom: baseline)
        #expect(database.modifications.flatMap(\.texts) == ["Station/7", "Station/1"])
        #expect(try await memory.fetch("Station/7")["name"] == "Terminus")
    }

    @Test(arguments: SavePolicy.allCases)
    func newRecordFollowsTheSavePolicy(savePolicy: SavePolicy) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample(pupils: []))
        try await memory.values.overwrite(Pupil(id: "cy", age: 12))
        let result = await Result {
            try await memory.save(
                RecordEncoder().encode(School.sample(pupils: ["cy"])), changedFrom: baseline,
                options: SaveOptions(savePolicy: savePolicy))
        }
        if savePolicy == .ifUnchanged {
            let error = #expect(throws: RecordDatabaseError.self) { try result.get() }
            #expect(error?.code == .conflict)
            #expect(error?.clientRecord?["age"] == 7 && error?.serverRecord?["age"] == 12)
        } else {
            #expect(try result.get().count == 2)
            #expect(try await memory.fetch("Pupil/cy")["age"] == 7)
        }
    }

    @Test func staleSaveIsRefusedWithBothRecords() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("motto", of: "School/hilltop", to: "Theirs")
        var school = School.sample()
        school.motto = "Ours"
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(RecordEncoder().encode(school), changedFrom: baseline)
        }
        #expect(error?.code == .conflict)
        #expect(error?.clientRecord?["motto"] == "Ours")
        #expect(error?.clientRecord?.metadata == baseline.last?.metadata)
        #expect(error?.serverRecord?["motto"] == "Theirs")
        #expect(try await memory.fetch("School/hilltop") == error?.serverRecord)
    }

    @Test func staleRecordThatIsNotChangedIsNoConflict() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("age", of: "Pupil/ann", to: 11)
        var school = School.sample()
        school.visits = 1
        try await memory.save(RecordEncoder().encode(school), changedFrom: baseline)
        #expect(try await memory.values.fetch(School.self, named: "hilltop").value.visits == 1)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 11)
    }

    @Test func ownMetadataOfAChangedRecordIsKept() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.set("age", of: "Pupil/ann", to: 11)
        var record = try await memory.fetch("Pupil/ann")
        record["age"] = 12
        let graph = try RecordGraph([record])
        #expect(try await memory.save(graph, changedFrom: baseline).count == 1)
        await #expect(throws: RecordDatabaseError.self) { try await memory.save(graph, changedFrom: baseline) }
        #expect(try await memory.fetch("Pupil/ann")["age"] == 12)
    }

    @Test func changedRecordThatSomebodyDeletedIsUnknown() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.delete([baseline.roots[0]], .dangling)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(RecordEncoder().encode(Pupil(id: "ann", age: 8)), changedFrom: baseline)
        }
        #expect(error?.code == .unknownRecord && error?.clientRecord?["age"] == 8)
        #expect(try await memory.texts.isEmpty)
    }

    @Test func overwritingAsksForNoVersion() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.set("age", of: "Pupil/ann", to: 11)
        try await memory.save(
            RecordEncoder().encode(Pupil(id: "ann", age: 8)), changedFrom: baseline,
            options: SaveOptions(savePolicy: .overwrite))
        #expect(try await memory.fetch("Pupil/ann")["age"] == 8)
    }

    @Test func ofTwoTasksWithOneVersionExactlyOneWins() async throws {
        for _ in 0..<50 {
            let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
            let results = await withTaskGroup(of: Result<Int, any Error>.self) { group in
                for age in [21, 22] {
                    group.addTask {
                        await Result {
                            try await memory.save(
                                RecordEncoder().encode(Pupil(id: "ann", age: age)), changedFrom: baseline)
                            return age
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let winners = results.compactMap { try? $0.get() }
            let winner = try #require(winners.first)
            #expect(winners.count == 1)
            let conflicts = results.compactMap { result -> [Record]? in
                guard case .failure(let error as RecordDatabaseError) = result, error.code == .conflict,
                    let client = error.clientRecord, let server = error.serverRecord
                else { return nil }
                return [client, server]
            }
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.map { $0["age"] } == [.int(43 - Int64(winner)), .int(Int64(winner))])
            #expect(try await memory.fetch("Pupil/ann") == conflicts.first?.last)
        }
    }

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
        #expect(error?.code == .partiallySaved && error?.underlyingError is Broken)
        let saved = try #require(error?.savedMetadata)
        #expect(Set(saved.keys.map(\.name)) == Set(["a", "b"].prefix(batchLimit)))
        #expect(database.modifications.count == 2)

        try await database.save(
            graph.updated(with: saved), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true))
        #expect(try await database.values.fetch(School.self, named: "hilltop").value == school)
        #expect(try await memory.texts.contains("Pupil/d") == false)
    }

    @Test func failureInTheOnlyBatchIsTheDatabasesOwn() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory) { _ in throw Broken() }
        await #expect(throws: Broken.self) {
            try await database.save(RecordEncoder().encode(School()), changedFrom: baseline)
        }
    }

    @Test func deletionThatFailsAfterTheSavesTellsAllThatIsSaved() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        let database = CountingDatabase(memory) { number in if number == 2 { throw Broken() } }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(
                RecordEncoder().encode(School.sample(pupils: ["ann"])), changedFrom: baseline,
                options: SaveOptions(deletesRemovedRecords: true))
        }
        #expect(error?.code == .partiallySaved && error?.underlyingError is Broken)
        #expect(error?.savedMetadata.keys.map(\.description) == ["School/hilltop"])
        #expect(database.modifications.map(\.texts) == [["School/hilltop"], ["-Pupil/bo"]])
    }

    @Test func savedGraphIsTheNextBaseline() async throws {
        let (memory, first) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        var baseline = first
        var school = School.sample()
        for visit in 1...3 {
            school.visits = visit
            if visit == 3 { school.pupils[0].age = 8 }
            let graph = try RecordEncoder().encode(school)
            baseline = graph.updated(with: try await database.save(graph, changedFrom: baseline), from: baseline)
        }
        #expect(
            database.modifications.map(\.texts) == [
                ["School/hilltop"], ["School/hilltop"], ["Pupil/ann", "School/hilltop"],
            ])
        let held = try await RecordDecoder().resolve(School.self, from: baseline.roots[0], in: memory)
        #expect(baseline == held.graph)
        #expect(baseline.map(\.id) == first.map(\.id))
        #expect(held.value == school)
    }

    @Test func recordsThatWereNotSentHaveTheBaselinesVersions() async throws {
        let (memory, first) = try await InMemoryRecordDatabase.holding(School.sample())
        var school = School.sample()
        school.visits = 1
        let graph = try RecordEncoder().encode(school)
        let saved = try await memory.save(graph, changedFrom: first)
        #expect(graph.updated(with: saved).filter { $0.metadata == nil }.count == 3)
        let baseline = graph.updated(with: saved, from: first)
        try await memory.set("age", of: "Pupil/ann", to: 11)
        school.pupils[0].age = 8
        await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(RecordEncoder().encode(school), changedFrom: baseline)
        }
    }

    @Test func ownMetadataGoesBeforeTheBaselinesAndNewBeforeOwn() async throws {
        let (memory, first) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.set("age", of: "Pupil/ann", to: 11)
        let own = try RecordGraph([try await memory.fetch("Pupil/ann")])
        #expect(own.updated(with: [:], from: first) == own)
        let metadata = try #require(first[0].metadata)
        #expect(own.updated(with: [own[0].id: metadata])[0].metadata == metadata)
    }
}

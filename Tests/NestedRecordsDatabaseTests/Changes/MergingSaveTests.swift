import NestedRecords
import TestSupport
import Testing

@Suite struct MergingSaveTests {
    @Test(arguments: [1, 2, 7]) func severalRecordsInConflictAreMergedOneAfterTheOther(batchLimit: Int) async throws {
        var (memory, ours) = try await School.contested(batchLimit: batchLimit)
        var conflicts: [SaveConflict] = []
        try await memory.values.save(&ours) { conflict in
            conflicts.append(conflict)
            return conflict.merged { $0.server }
        }
        #expect(conflicts.map(\.client.id.description).sorted() == ["Pupil/ann", "Pupil/bo", "School/hilltop"])
        #expect(conflicts.allSatisfy { $0.ancestor?.metadata == $0.client.metadata })
        let held = try await memory.values.fetch(School.self, named: "hilltop").value
        #expect(ours.value == held)
        #expect(held.visits == 1 && held.motto == "Theirs" && held.director?.age == 50)
        #expect(held.pupils.map(\.age) == [11, 12])
        let counting = CountingDatabase(memory)
        try await counting.values.save(&ours)
        #expect(counting.modifications.isEmpty)
    }

    @Test func allConflictsAreMergedBeforeTheWholeBatchIsTriedAgain() async throws {
        var (memory, ours) = try await School.contested()
        let database = CountingDatabase(memory)
        try await database.values.save(&ours) { conflict in conflict.merged { $0.client } }
        #expect(database.modifications.count == 2)
        #expect(Set(database.modifications.map(\.texts)).count == 1)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 8)
    }

    @Test func sameRecordMayBeInConflictAgainWithTheFirstVersionAsAncestor() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School())
        let database = CountingDatabase(memory) { number in
            if number <= 3 { try await memory.set("visits", of: "School/hilltop", to: .int(Int64(number) * 10)) }
        }
        var conflicts: [SaveConflict] = []
        var ours = try await memory.values.fetch(School.self, named: "hilltop")
        ours.visits = 1
        try await database.values.save(&ours) { conflict in
            conflicts.append(conflict)
            return conflict.merged { _ in 1 }
        }
        #expect(conflicts.map(\.server).map { $0["visits"] } == [10, 20, 30])
        #expect(conflicts.map(\.ancestor).map { $0?["visits"] } == [0, 10, 20])
        #expect(conflicts.map(\.client).map { $0["visits"] } == [1, 1, 1])
        #expect(conflicts[1].ancestor == conflicts[0].server)
        #expect(conflicts[1].client.metadata == conflicts[0].server.metadata)
        #expect(try await memory.fetch("School/hilltop")["visits"] == 1)
    }

    @Test func attemptsAreBoundedAndTheLastConflictIsThrown() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(School())
        let database = CountingDatabase(memory) { number in
            try await memory.set("visits", of: "School/hilltop", to: .int(Int64(number)))
        }
        var ours = try await memory.values.fetch(School.self, named: "hilltop")
        ours.name = "Ours"
        var merges = 0
        let store = RecordStore(database, coding: database.values.coding, retries: RetryPolicy(attempts: 10))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.save(&ours) { conflict in
                merges += 1
                return try conflict.merged()
            }
        }
        #expect(error?.code == .conflict)
        #expect(database.modifications.count == 10 && merges == 9)
        #expect(error?.serverRecord?["visits"] == 10 && error?.clientRecord?["name"] == "Ours")
    }

    @Test func mergedRecordsMayPointElsewhere() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)))
        var ours = try await memory.values.fetch(Station.self, named: "1")
        try await memory.set("name", of: "Station/1", to: "Theirs")
        ours.next = Station(3)
        try await memory.values.save(&ours, merging: { try $0.merged() }, deletesRemovedRecords: true)
        #expect(try await memory.texts == ["Station/1", "Station/3"])
        #expect(try await memory.fetch("Station/1")["name"] == "Theirs")
    }

    @Test func mergedRecordWithAnotherIDIsRefused() async throws {
        var (memory, ours) = try await School.contested()
        let other = try Flat.record("Pupil/zed")
        let error = await #expect(throws: RecordError.self) {
            try await memory.values.save(&ours) { _ in other }
        }
        #expect(error?.code == .identityChanged && error?.description.hasSuffix("has become Pupil/zed") == true)
        #expect(try await memory.texts.contains("Pupil/zed") == false)
    }

    @Test func errorsOfTheClosureComeThroughAndNothingIsSaved() async throws {
        struct Refused: Error {}
        var (memory, ours) = try await School.contested()
        await #expect(throws: Refused.self) {
            try await memory.values.save(&ours) { _ in throw Refused() }
        }
        #expect(try await memory.fetch("Pupil/dee")["age"] == 7)
    }

    @Test func recordThatSomebodyDeletedIsNotMerged() async throws {
        let (memory, graph) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        var pupil = try await memory.values.fetch(Pupil.self, named: "ann")
        try await memory.delete([graph.roots[0]], .dangling)
        pupil.age = 8
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.values.save(&pupil) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        #expect(error?.code == .unknownRecord && error?.clientRecord?["age"] == 8)
    }

    @Test(arguments: [(false, "School/hilltop"), (true, "School/other")])
    func conflictThatCannotBeMergedSafelyIsThrown(hasVersion: Bool, id: String) async throws {
        let (memory, graph) = try await InMemoryRecordDatabase.holding(School())
        var school = try await memory.values.fetch(School.self, named: "hilltop")
        var server = try Flat.record(id)
        if hasVersion { server.metadata = graph[0].metadata }
        let answer = server
        let database = CountingDatabase(memory) { _ in
            throw RecordDatabaseError(.conflict, .versions(client: answer, server: answer))
        }
        school.visits = 1
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&school) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        #expect(error?.code == .conflict && error?.serverRecord == answer)
        #expect(database.modifications.count == 1)
    }

    @Test func conflictOverARecordThatIsSavedAlreadyIsThrown() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)), batchLimit: 1)
        var station = try await memory.values.fetch(Station.self, named: "1")
        let database = CountingDatabase(memory) { number in
            guard number == 2 else { return }
            let saved = try await memory.fetch("Station/2")
            throw RecordDatabaseError(.conflict, .versions(client: saved, server: saved))
        }
        station.name = "One"
        station.next?.name = "Two"
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.values.save(&station) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        #expect(error?.code == .partiallySaved && (error?.underlyingError as? RecordDatabaseError)?.code == .conflict)
        #expect(error?.savedMetadata.keys.map(\.description) == ["Station/2"])
    }

    @Test func cancellationIsCheckedBetweenAttempts() async throws {
        let (memory, ours) = try await School.contested()
        let database = CountingDatabase(memory)
        let task = Task {
            _ = try await database.values.save(ours) { conflict in
                withUnsafeCurrentTask { $0?.cancel() }
                return conflict.merged { $0.client }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.modifications.count == 1)
        #expect(try await memory.fetch("Pupil/dee")["age"] == 7)
    }

    @MainActor @Test func closureRunsInTheIsolationOfTheCaller() async throws {
        var (memory, ours) = try await School.contested()
        var asked: [String] = []
        try await memory.values.save(&ours) { conflict in
            MainActor.assertIsolated()
            asked.append(conflict.client.id.name)
            return conflict.client
        }
        #expect(asked == ["ann", "bo", "hilltop"])
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct MergingSaveTests {
    @Test(arguments: [1, 2, 7]) func severalRecordsInConflictAreMergedOneAfterTheOther(batchLimit: Int) async throws {
        let (memory, baseline, ours) = try await School.contested(batchLimit: batchLimit)
        var conflicts: [SaveConflict] = []
        let saved = try await memory.save(RecordEncoder().encode(ours), changedFrom: baseline) { conflict in
            conflicts.append(conflict)
            return conflict.merged { $0.server }
        }
        #expect(conflicts.map(\.client.id.description).sorted() == ["Pupil/ann", "Pupil/bo", "School/hilltop"])
        for conflict in conflicts { #expect(conflict.ancestor == baseline[conflict.client.id]) }
        let held = try await RecordDecoder().resolve(School.self, from: baseline.roots[0], in: memory)
        #expect(held.value.visits == 1)
        #expect(held.value.motto == "Theirs")
        #expect(held.value.director?.age == 50)
        #expect(held.value.pupils.map(\.age) == [11, 12])
        #expect(saved == held.graph)
        let none = try await memory.save(RecordEncoder().encode(held.value), changedFrom: saved)
        #expect(none.isEmpty)
    }

    @Test func allConflictsAreMergedBeforeTheWholeBatchIsTriedAgain() async throws {
        let (memory, baseline, ours) = try await School.contested()
        let database = CountingDatabase(memory)
        try await database.save(RecordEncoder().encode(ours), changedFrom: baseline) { conflict in
            let unsaved = try await memory.fetch("Pupil/dee")
            #expect(unsaved["age"] == 7)
            return conflict.merged { $0.client }
        }
        #expect(database.modifications.count == 2)
        #expect(Set(database.modifications.map(\.texts)).count == 1)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 8)
    }

    @Test func sameRecordMayBeInConflictAgainWithTheFirstVersionAsAncestor() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School())
        let database = CountingDatabase(memory) { number in
            if number <= 3 { try await memory.set("visits", of: "School/hilltop", to: .int(Int64(number) * 10)) }
        }
        var conflicts: [SaveConflict] = []
        try await database.save(RecordEncoder().encode(School(visits: 1)), changedFrom: baseline) { conflict in
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

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (5, 5)])
    func triesAreBoundedAndTheLastConflictIsThrown(maximumAttempts: Int, tries: Int) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School())
        let database = CountingDatabase(memory) { number in
            try await memory.set("visits", of: "School/hilltop", to: .int(Int64(number)))
        }
        var merges = 0
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(
                RecordEncoder().encode(School(name: "Ours")), changedFrom: baseline,
                options: SaveOptions(maximumAttempts: maximumAttempts)
            ) { conflict in
                merges += 1
                return try conflict.merged()
            }
        }
        #expect(error?.code == .conflict)
        let (client, server) = (try #require(error?.clientRecord), try #require(error?.serverRecord))
        #expect(database.modifications.count == tries)
        #expect(merges == tries - 1)
        #expect(server["visits"] == .int(Int64(tries)))
        #expect(client["name"] == "Ours")
        #expect(try await memory.fetch("School/hilltop") == server)
    }

    @Test func lastConflictOfALaterBatchComesWithWhatIsSaved() async throws {
        let (memory, baseline, ours) = try await School.contested(batchLimit: 1)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(
                RecordEncoder().encode(ours), changedFrom: baseline, options: SaveOptions(maximumAttempts: 1)
            ) { $0.client }
        }
        guard error?.code == .partiallySaved, let saved = error?.savedMetadata,
            let conflict = error?.underlyingError as? RecordDatabaseError, conflict.code == .conflict,
            let client = conflict.clientRecord
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(saved.keys.map(\.description) == ["Pupil/dee"])
        #expect(client.id.description == "Pupil/ann")
    }

    @Test func withoutABaselineEveryRecordIsSentAndHasNoAncestor() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        let database = CountingDatabase(memory)
        var ancestors: [Record?] = []
        let graph = try await database.save(RecordEncoder().encode(School.sample())) {
            conflict in
            ancestors.append(conflict.ancestor)
            return try conflict.merged()
        }
        #expect(ancestors == [nil, nil, nil, nil])
        #expect(database.modifications.allSatisfy { $0.saved.count == 4 })
        #expect(graph.difference(from: baseline).isEmpty)
    }

    @Test func baselineOfAnotherVersionIsNoAncestor() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.set("age", of: "Pupil/ann", to: 8)
        var ours = try await memory.fetch("Pupil/ann")
        ours["age"] = 9
        try await memory.set("age", of: "Pupil/ann", to: 10)
        var conflicts: [SaveConflict] = []
        try await memory.save(RecordGraph([ours]), changedFrom: baseline) { conflict in
            conflicts.append(conflict)
            return conflict.client
        }
        #expect(conflicts.map(\.ancestor) == [nil])
        #expect(try await memory.fetch("Pupil/ann")["age"] == 9)
    }

    @Test func mergedRecordsMayPointElsewhere() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)))
        try await memory.set("name", of: "Station/1", to: "Theirs")
        let changed = Station(1, next: Station(3))
        let graph = try await memory.save(
            RecordEncoder().encode(changed), changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true)
        ) { try $0.merged() }
        #expect(graph.map(\.id.description) == ["Station/3", "Station/1"])
        #expect(try await memory.texts == ["Station/1", "Station/3"])
        #expect(try await memory.fetch("Station/1")["name"] == "Theirs")
    }

    @Test func mergedRecordsStandInTheOrderOfTheirReferences() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)))
        #expect(baseline.map(\.id.name) == ["2", "1"])
        try await memory.set("next", of: "Station/1", to: nil)
        try await memory.set("next", of: "Station/2", to: Flat.reference("Station/1"))
        let changed = Station(1, next: Station(2))
        changed.name = "One"
        changed.next?.name = "Two"
        let graph = try await memory.save(RecordEncoder().encode(changed), changedFrom: baseline) { try $0.merged() }
        #expect(graph.map(\.id.name) == ["1", "2"])
        #expect(graph.roots == baseline.roots)
        #expect(try await memory.values.fetch(Station.self, named: "2").value.next?.name == "One")
    }

    @Test func mergedRecordWithAnotherIDIsRefused() async throws {
        let (memory, baseline, ours) = try await School.contested()
        let other = try Flat.record("Pupil/zed")
        let error = await #expect(throws: RecordError.self) {
            try await memory.save(RecordEncoder().encode(ours), changedFrom: baseline) { _ in other }
        }
        #expect(error?.code == .identityChanged && error?.description.hasSuffix("has become Pupil/zed") == true)
        #expect(try await memory.texts.contains("Pupil/zed") == false)
    }

    @Test func errorsOfTheClosureComeThroughAndNothingIsSaved() async throws {
        struct Refused: Error {}
        let (memory, baseline, ours) = try await School.contested()
        await #expect(throws: Refused.self) {
            try await memory.save(RecordEncoder().encode(ours), changedFrom: baseline) { _ in throw Refused() }
        }
        #expect(try await memory.fetch("Pupil/dee")["age"] == 7)
    }

    @Test func recordThatSomebodyDeletedIsNotMerged() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.delete([baseline.roots[0]], .dangling)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(RecordEncoder().encode(Pupil(id: "ann", age: 8)), changedFrom: baseline) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        #expect(error?.code == .unknownRecord && error?.clientRecord?["age"] == 8)
    }

    @Test(arguments: [(false, "School/hilltop"), (true, "School/other")])
    func conflictThatCannotBeMergedSafelyIsThrown(hasVersion: Bool, id: String) async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School())
        var server = try Flat.record(id)
        if hasVersion { server.metadata = baseline[0].metadata }
        let answer = server
        let database = CountingDatabase(memory) { _ in
            throw RecordDatabaseError.conflict(client: answer, server: answer)
        }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(RecordEncoder().encode(School(visits: 1)), changedFrom: baseline) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        #expect(error?.code == .conflict && error?.serverRecord == answer)
        #expect(database.modifications.count == 1)
    }

    @Test func conflictOverARecordThatIsSavedAlreadyIsThrown() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Station(1, next: Station(2)), batchLimit: 1)
        let database = CountingDatabase(memory) { number in
            guard number == 2 else { return }
            let saved = try await memory.fetch("Station/2")
            throw RecordDatabaseError.conflict(client: saved, server: saved)
        }
        let changed = Station(1, next: Station(2))
        changed.name = "One"
        changed.next?.name = "Two"
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(RecordEncoder().encode(changed), changedFrom: baseline) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        #expect(error?.code == .partiallySaved && (error?.underlyingError as? RecordDatabaseError)?.code == .conflict)
        #expect(error?.savedMetadata.keys.map(\.description) == ["Station/2"])
    }

    @Test func graphOfAnInterruptedSaveDoesNotUndoWhatItHasMerged() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample(), batchLimit: 1)
        // The first call is in conflict, the second one saves the merged pupil.
        let database = CountingDatabase(memory) { number in if number == 3 { throw Malfunction() } }
        try await memory.set("age", of: "Pupil/ann", to: 11)
        var ours = School.sample()
        ours.pupils[0].age = 8
        ours.name = "Hill"
        let graph = try RecordEncoder().encode(ours)
        let merge: (SaveConflict) -> Record = { conflict in conflict.merged { $0.server } }
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(graph, changedFrom: baseline, merging: merge)
        }
        #expect(error?.code == .partiallySaved)
        #expect(error?.savedMetadata.isEmpty == true)
        let next = graph.updated(with: error?.savedMetadata ?? [:], from: baseline)
        let again = await #expect(throws: RecordDatabaseError.self) {
            try await database.save(next, changedFrom: baseline)
        }
        #expect(again?.code == .conflict)
        try await database.save(next, changedFrom: baseline, merging: merge)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 11)
        #expect(try await memory.fetch("School/hilltop")["name"] == "Hill")
    }

    @Test func cancellationIsCheckedBetweenAttempts() async throws {
        let (memory, baseline, ours) = try await School.contested()
        let database = CountingDatabase(memory)
        let task = Task {
            try await database.save(RecordEncoder().encode(ours), changedFrom: baseline) { conflict in
                withUnsafeCurrentTask { $0?.cancel() }
                return conflict.merged { $0.client }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.modifications.count == 1)
        #expect(try await memory.fetch("Pupil/dee")["age"] == 7)
    }

    @MainActor @Test func closureRunsInTheIsolationOfTheCaller() async throws {
        let (memory, baseline, ours) = try await School.contested()
        var asked: [String] = []
        try await memory.save(RecordEncoder().encode(ours), changedFrom: baseline) { conflict in
            MainActor.assertIsolated()
            asked.append(conflict.client.id.name)
            return conflict.client
        }
        #expect(asked == ["ann", "bo", "hilltop"])
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct MergingSaveErrorTests {
    @Test func mergedRecordWithAnotherIDIsRefused() async throws {
        let (memory, baseline, ours) = try await School.contested()
        let other = try Flat.record("Pupil/zed")
        let error = await #expect(throws: RecordChangeError.self) {
            try await memory.save(ours, changedFrom: baseline) { _ in other }
        }
        #expect(error == .identityChanged(from: try Record.ID("Pupil/ann"), to: other.id))
        #expect(error?.description == "the record Pupil/ann was to be changed, and has become Pupil/zed")
        #expect(try await memory.texts.contains("Pupil/zed") == false)
    }

    @Test func errorsOfTheClosureComeThroughAndNothingIsSaved() async throws {
        struct Refused: Error {}
        let (memory, baseline, ours) = try await School.contested()
        await #expect(throws: Refused.self) {
            try await memory.save(ours, changedFrom: baseline) { _ in throw Refused() }
        }
        #expect(try await memory.fetch("Pupil/dee")["age"] == 7)
    }

    @Test func recordThatSomebodyDeletedIsNotMerged() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.delete(baseline.roots[0])
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(Pupil(id: "ann", age: 8), changedFrom: baseline) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        guard error?.code == .unknownRecord, let record = error?.clientRecord else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record["age"] == 8)
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
            try await database.save(School(visits: 1), changedFrom: baseline) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        guard error?.code == .conflict, error?.serverRecord == answer else {
            Issue.record("\(String(describing: error))")
            return
        }
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
            try await database.save(changed, changedFrom: baseline) { conflict in
                Issue.record("\(conflict)")
                return conflict.client
            }
        }
        guard error?.code == .partiallySaved, let saved = error?.savedMetadata,
            (error?.underlyingError as? RecordDatabaseError)?.code == .conflict
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(saved.keys.map(\.description) == ["Station/2"])
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
            try await database.save(ours, changedFrom: baseline) { conflict in
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
        try await memory.save(ours, changedFrom: baseline) { conflict in
            MainActor.assertIsolated()
            asked.append(conflict.client.id.name)
            return conflict.client
        }
        #expect(asked == ["ann", "bo", "hilltop"])
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct MergingSaveTests {
    @Test(arguments: [1, 2, 7]) func severalRecordsInConflictAreMergedOneAfterTheOther(batchLimit: Int) async throws {
        let (memory, baseline, ours) = try await School.contested(batchLimit: batchLimit)
        var conflicts: [SaveConflict] = []
        let saved = try await memory.save(ours, changedFrom: baseline) { conflict in
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
        let none = try await memory.save(held.value, changedFrom: saved)
        #expect(none.isEmpty)
    }

    @Test func allConflictsAreMergedBeforeTheWholeBatchIsTriedAgain() async throws {
        let (memory, baseline, ours) = try await School.contested()
        let database = CountingDatabase(memory)
        try await database.save(ours, changedFrom: baseline) { conflict in
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
        try await database.save(School(visits: 1), changedFrom: baseline) { conflict in
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
                School(name: "Ours"), changedFrom: baseline, options: SaveOptions(maximumAttempts: maximumAttempts)
            ) { conflict in
                merges += 1
                return try conflict.merged()
            }
        }
        guard error?.code == .conflict, let client = error?.clientRecord, let server = error?.serverRecord else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(database.modifications.count == tries)
        #expect(merges == tries - 1)
        #expect(server["visits"] == .int(Int64(tries)))
        #expect(client["name"] == "Ours")
        #expect(try await memory.fetch("School/hilltop") == server)
    }

    @Test func lastConflictOfALaterBatchComesWithWhatIsSaved() async throws {
        let (memory, baseline, ours) = try await School.contested(batchLimit: 1)
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(ours, changedFrom: baseline, options: SaveOptions(maximumAttempts: 1)) { $0.client }
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
        let graph = try await database.save(School.sample(), options: SaveOptions(savePolicy: .ifUnchanged)) {
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
            changed, changedFrom: baseline, options: SaveOptions(deletesRemovedRecords: true)
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
        let graph = try await memory.save(changed, changedFrom: baseline) { try $0.merged() }
        #expect(graph.map(\.id.name) == ["1", "2"])
        #expect(graph.roots == baseline.roots)
        #expect(try await memory.load(Station.self, named: "2").next?.name == "One")
    }
}

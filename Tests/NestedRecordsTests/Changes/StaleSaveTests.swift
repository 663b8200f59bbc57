import NestedRecords
import Testing

@Suite struct StaleSaveTests {
    @Test func staleSaveIsRefusedWithBothRecords() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("motto", of: "School/hilltop", to: "Theirs")
        var school = School.sample()
        school.motto = "Ours"
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(school, changedFrom: baseline)
        }
        guard error?.code == .conflict, let client = error?.clientRecord, let server = error?.serverRecord else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(client["motto"] == "Ours")
        #expect(client.metadata == baseline.last?.metadata)
        #expect(server["motto"] == "Theirs")
        #expect(try await memory.fetch("School/hilltop") == server)
    }

    @Test func staleRecordThatIsNotChangedIsNoConflict() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(School.sample())
        try await memory.set("age", of: "Pupil/ann", to: 11)
        var school = School.sample()
        school.visits = 1
        try await memory.save(school, changedFrom: baseline)
        #expect(try await memory.load(School.self, named: "hilltop").visits == 1)
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
        try await memory.delete(baseline.roots[0])
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await memory.save(Pupil(id: "ann", age: 8), changedFrom: baseline)
        }
        guard error?.code == .unknownRecord, let record = error?.clientRecord else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record["age"] == 8)
        #expect(try await memory.texts.isEmpty)
    }

    @Test func overwritingAsksForNoVersion() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.set("age", of: "Pupil/ann", to: 11)
        try await memory.save(
            Pupil(id: "ann", age: 8), changedFrom: baseline, options: SaveOptions(savePolicy: .overwrite))
        #expect(try await memory.fetch("Pupil/ann")["age"] == 8)
    }

    @Test func ofTwoTasksWithOneVersionExactlyOneWins() async throws {
        for _ in 0..<50 {
            let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
            let results = await withTaskGroup(of: Result<Int, any Error>.self) { group in
                for age in [21, 22] {
                    group.addTask {
                        await Result {
                            try await memory.save(Pupil(id: "ann", age: age), changedFrom: baseline)
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
}

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
        guard case .conflict(let client, let server) = error else {
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
        guard case .unknownRecord(let record) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(record["age"] == 8)
        #expect(try await memory.texts.isEmpty)
    }

    @Test func overwritingAsksForNoVersion() async throws {
        let (memory, baseline) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        try await memory.set("age", of: "Pupil/ann", to: 11)
        try await memory.save(Pupil(id: "ann", age: 8), changedFrom: baseline, savePolicy: .overwrite)
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
                guard case .failure(RecordDatabaseError.conflict(let client, let server)) = result else { return nil }
                return [client, server]
            }
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.map { $0["age"] } == [.int(43 - Int64(winner)), .int(Int64(winner))])
            #expect(try await memory.fetch("Pupil/ann") == conflicts.first?.last)
        }
    }
}

@Suite struct UpdatedGraphTests {
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
        await #expect(throws: RecordDatabaseError.self) { try await memory.save(school, changedFrom: baseline) }
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

import NestedRecords
import TestSupport
import Testing

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

import NestedRecords
import TestSupport
import Testing

@Suite struct AllValuesTests {
    func makeDatabase(count: Int) async throws -> CountingDatabase {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(
            (0..<count).map { School(id: "\($0 + 1_000)", pupils: [Pupil(id: "\($0 % 7)")]) })
        return CountingDatabase(memory)
    }

    @Test func allValuesOfATypeComeInOrder() async throws {
        let database = try await makeDatabase(count: 250)
        var ids: [String] = []
        for try await school in database.values.query(School.self).values() { ids.append(school.id) }
        #expect(ids == (1_000..<1_250).map { "\($0)" })
        #expect(try await database.values.query(School.self).all().map(\.value).map(\.id) == ids)
        #expect(try await database.values.query(Station.self).all().map(\.value).isEmpty)
    }

    @Test func listedRecordsAreNotFetchedAgain() async throws {
        let database = try await makeDatabase(count: 20)
        _ = try await database.values.query(School.self).all().map(\.value)
        database.forgetCalls()
        _ = try await database.values.query(School.self).all().map(\.value)
        #expect(database.sortedCalls == [(0...6).map { "Pupil/\($0)" }])
    }

    @MainActor @Test func objectsComeToAnActor() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite([Station(1), Station(2)])
        var names: [String] = []
        for try await station in memory.values.query(Station.self).values() { names.append(station.name) }
        #expect(names == ["Station 1", "Station 2"])
    }

    @Test func malformedValueIsAnError() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite([Pupil(id: "ann"), Pupil(id: "bo")])
        try await memory.set("age", of: "Pupil/bo", to: "old")
        await #expect(throws: DecodingError.self) { try await memory.values.query(Pupil.self).all().map(\.value) }
    }
}

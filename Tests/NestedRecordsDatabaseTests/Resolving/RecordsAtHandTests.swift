import TestSupport
import Testing

@testable import NestedRecords

/// Decoding of records that the caller has already.
@Suite struct RecordsAtHandTests {
    func makeDatabase() async throws -> CountingDatabase {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite([
            School.sample(), School(id: "dale", pupils: [Pupil(id: "ann"), Pupil(id: "eve")]),
        ])
        // What is learned when a type is decoded first is not counted here.
        _ = try await memory.values.query(School.self).all().map(\.value)
        return CountingDatabase(memory)
    }

    @Test func rootIsNotFetchedAgain() async throws {
        let database = try await makeDatabase()
        let record = try #require(try await database.record(for: Record.ID("School/hilltop")))
        database.forgetCalls()
        let school = try await RecordDecoder().decode(School.self, from: record, in: database)
        #expect(school == School.sample())
        #expect(database.sortedCalls == [["Pupil/ann", "Pupil/bo", "Pupil/dee"]])
    }

    @Test func pageIsResolvedTogether() async throws {
        let database = try await makeDatabase()
        let records = try await database.records(for: ["School/hilltop", "School/dale"].map { try Record.ID($0) })
        database.forgetCalls()
        let schools = try await RecordDecoder().decode(School.self, from: records, in: database)
        #expect(schools.map(\.id) == ["hilltop", "dale"])
        #expect(database.sortedCalls == [["Pupil/ann", "Pupil/bo", "Pupil/dee", "Pupil/eve"]])
    }

    @Test func recordsOfThePageThatReferToEachOtherAreNotFetched() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Station(1, next: Station(2, next: Station(3))))
        let records = try await memory.records(for: [2, 1, 3].map { try Record.ID("Station/\($0)") })
        let database = CountingDatabase(memory)
        let stations = try await RecordDecoder().decode(Station.self, from: records, in: database)
        #expect(database.calls.isEmpty)
        #expect(stations.map(\.id) == [2, 1, 3])
        #expect(stations[1].next === stations[0] && stations[0].next === stations[2])
    }

    @Test func recordTwiceInThePageIsDecodedForBoth() async throws {
        let database = try await makeDatabase()
        let record = try #require(try await database.record(for: Record.ID("Pupil/ann")))
        var other = record
        other["age"] = 8
        #expect(
            try await RecordDecoder().decode(Pupil.self, from: [record, record], in: database).map(\.age) == [7, 7])
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Pupil.self, from: [record, other], in: database)
        }
        #expect(error?.code == .conflict)
    }

    @Test func eachMalformedRecordHasItsOwnError() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(["hilltop", "dale", "glen"].map { School(id: $0, pupils: [Pupil(id: $0)]) })
        try await memory.set("age", of: "Pupil/dale", to: "old")
        let ids = try ["hilltop", "dale", "glen"].map { try Record.ID("School/\($0)") }
        let records = try await memory.records(for: ids)
        let results = try await RecordDecoder().resolveEach(School.self, from: records, in: memory).value
        #expect(results.map { try? $0.get().id } == ["hilltop", nil, "glen"])
        #expect(throws: DecodingError.self) { try results[1].get() }
    }

    @Test func missingRecordsOfOneRootFailThatRootAlone() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(["hilltop", "dale"].map { School(id: $0, pupils: [Pupil(id: $0)]) })
        try await memory.delete([Record.ID("Pupil/dale")], .dangling)
        let ids = try ["dale", "hilltop"].map { try Record.ID("School/\($0)") }
        for _ in 1...2 {
            let records = try await memory.records(for: ids)
            let results = try await RecordDecoder().resolveEach(School.self, from: records, in: memory).value
            #expect(results.map { try? $0.get().id } == [nil, "hilltop"])
        }
    }
}

import NestedRecords
import TestSupport
import Testing

@Suite struct AnyRecordTests {
    struct Pupil: RecordCodable, Identifiable, Equatable {
        var id: String
        var age = 7
    }

    struct School: RecordCodable, Identifiable, Equatable {
        var id = "hilltop"
        var pupils: [Pupil]
    }

    struct Station: RecordCodable, Identifiable {
        var id: Int
    }

    @Test func valuesOfDifferentTypesBecomeOneGraph() async throws {
        let pupil = Pupil(id: "ann")
        let school = School(pupils: [pupil])
        let graph = try RecordEncoder().encode([pupil, school, Station(id: 1)])
        #expect(graph.roots.map(\.description) == ["Pupil/ann", "School/hilltop", "Station/1"])
        #expect(graph.count == 3)
        let database = InMemoryRecordDatabase()
        #expect(try await database.save(RecordEncoder().encode([school, Station(id: 1)])).count == 3)
        #expect(try await database.values.fetch(School.self, named: "hilltop").value == school)
    }

    @Test func conflictBetweenValuesOfDifferentTypesNamesBothPlaces() throws {
        let school = School(pupils: [Pupil(id: "ann", age: 8)])
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode([Pupil(id: "ann"), school]) }
        #expect(error?.code == .conflict && error?.field == "age")
        #expect(error?.secondPath.map(\.stringValue) == ["Index 1", "pupils", "Index 0"])
    }

    @Test func arrayOfOneTypeIsEncodedAsBefore() throws {
        let mixed: [any RecordEncodable] = [Pupil(id: "ann"), Pupil(id: "bo")]
        #expect(
            try RecordEncoder().encode(mixed).roots
                == RecordEncoder().encode([Pupil(id: "ann"), Pupil(id: "bo")]).roots)
        #expect(try RecordEncoder().encode([any RecordEncodable]()).isEmpty)
    }
}

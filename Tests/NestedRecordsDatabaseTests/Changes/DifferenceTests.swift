import NestedRecords
import TestSupport
import Testing

@Suite struct DifferenceTests {
    @Test func sameContentIsNotADifference() throws {
        let school = School.sample()
        let difference = try RecordEncoder().encode(school).difference(from: RecordEncoder().encode(school))
        #expect(difference.isEmpty && difference.description == "")
    }

    @Test func metadataAndRootsAreNotContent() async throws {
        let (_, saved) = try await InMemoryRecordDatabase.holding(School.sample())
        let plain = try RecordEncoder().encode(School.sample())
        #expect(saved != plain)
        #expect(plain.difference(from: saved).isEmpty)
        #expect(saved.difference(from: plain).isEmpty)
        #expect(try RecordGraph(plain, roots: [plain[0].id]).difference(from: plain).isEmpty)
    }

    @Test func addedRemovedAndChangedRecordsAreReported() throws {
        var school = School.sample()
        let old = try RecordEncoder().encode(school)
        school.visits = 3
        school.motto = nil
        school.pupils[0] = Pupil(id: "cy")
        let new = try RecordEncoder().encode(school)
        let difference = new.difference(from: old)
        #expect(difference.added.map(\.id.description) == ["Pupil/cy"])
        #expect(difference.removed.map(\.id.description) == ["Pupil/ann"])
        #expect(difference.changed.map(\.new.id.description) == ["School/hilltop"])
        #expect(difference.changed.map(\.old) == [old.last] && difference.changed.map(\.new) == [new.last])
        #expect(
            difference.description == """
                + Pupil/cy
                - Pupil/ann
                ~ School/hilltop
                    ~ visits: 0 => 3
                    ~ pupils: [→ Pupil/ann, → Pupil/bo] => [→ Pupil/cy, → Pupil/bo]
                    - motto: "Onwards"
                """)
        #expect(old.difference(from: new).description.contains("\n    + motto: \"Onwards\""))
    }

    @Test func recordsKeepTheOrderOfTheirGraphs() throws {
        let old = try RecordEncoder().encode(Station(1, next: Station(2, next: Station(3))))
        let new = try RecordEncoder().encode([Pupil(id: "z"), Pupil(id: "a")])
        let difference = new.difference(from: old)
        #expect(difference.added == Array(new) && difference.removed == Array(old))
        #expect(difference.removed.map(\.id.name) == ["3", "2", "1"])
    }

    @Test func fieldsKeepTheOrderOfTheNewRecordAndRemovedOnesAreLast() throws {
        let changes = try RecordGraphDifference.fields(
            from: ["gone": 1, "b": 1, "same": 1, "left": 2, "a": 1], to: ["a": 2, "same": 1, "new": 1, "b": 2])
        #expect(changes.map(\.name) == ["a", "new", "b", "gone", "left"] && changes.map(\.old) == [1, nil, 1, 1, 2])
        #expect(changes.map(\.new) == [2, 1, 2, nil, nil])
    }

    @Test func orderOfFieldsIsNotADifference() throws {
        #expect(
            try RecordGraphDifference.fields(
                from: ["a": 1, "b": ["c": 1, "d": 2]], to: ["b": ["d": 2, "c": 1], "a": 1]
            ).isEmpty)
        let many = (0..<40).map { ("f\($0)", Record.Value.int($0)) }
        #expect(try RecordGraphDifference.fields(from: .init(many), to: .init(many.reversed())).isEmpty)
    }

    @Test func ringsAreCompared() throws {
        let (first, last) = Station.ring(of: 5)
        defer { last.next = nil }
        let old = try RecordEncoder.allowingCycles.encode(first)
        last.name = "Terminus"
        let new = try RecordEncoder.allowingCycles.encode(first)
        #expect(
            new.difference(from: old).description == """
                ~ Station/5
                    ~ name: "Station 5" => "Terminus"
                """)
    }
}

extension RecordGraphDifference {
    /// The fields that differ between two versions of one record.
    static func fields(
        from old: Record.Fields, to new: Record.Fields
    ) throws -> [RecordGraphDifference.FieldChange] {
        let graphs = try [old, new].map { try RecordGraph([try Flat.record("A/1", $0)]) }
        let difference = graphs[1].difference(from: graphs[0])
        #expect(difference.added.isEmpty && difference.removed.isEmpty)
        #expect(difference.isEmpty == difference.changed.isEmpty)
        return difference.changes.flatMap(\.fields)
    }
}

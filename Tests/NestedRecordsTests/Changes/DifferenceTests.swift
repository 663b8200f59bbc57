import Foundation
import NestedRecords
import Testing

@Suite struct DifferenceTests {
    func difference(
        from old: Record.Fields, to new: Record.Fields
    ) throws -> [RecordGraphDifference.FieldChange] {
        let graphs = try [old, new].map { try RecordGraph([try Flat.record("A/1", $0)]) }
        let difference = graphs[1].difference(from: graphs[0])
        #expect(difference.added.isEmpty && difference.removed.isEmpty)
        #expect(difference.isEmpty == difference.changed.isEmpty)
        return difference.changed.flatMap(\.fields)
    }

    @Test func sameContentIsNoDifference() throws {
        let school = School.sample()
        let difference = try RecordEncoder().encode(school).difference(from: RecordEncoder().encode(school))
        #expect(difference.isEmpty)
        #expect(difference.description == "")
    }

    @Test func metadataAndRootsAreNoContent() async throws {
        let (_, saved) = try await InMemoryRecordDatabase.holding(School.sample())
        let plain = try RecordEncoder().encode(School.sample())
        #expect(saved != plain)
        #expect(plain.difference(from: saved).isEmpty)
        #expect(saved.difference(from: plain).isEmpty)
        #expect(try RecordGraph(plain, roots: [plain[0].id]).difference(from: plain).isEmpty)
    }

    @Test func addedRemovedAndChangedRecordsAreTold() throws {
        var school = School.sample()
        let old = try RecordEncoder().encode(school)
        school.visits = 3
        school.motto = nil
        school.pupils[0] = Pupil(id: "cy")
        let new = try RecordEncoder().encode(school)
        let difference = new.difference(from: old)
        #expect(difference.added.map(\.id.description) == ["Pupil/cy"])
        #expect(difference.removed.map(\.id.description) == ["Pupil/ann"])
        #expect(difference.changed.map(\.id.description) == ["School/hilltop"])
        #expect(difference.changed.map(\.old) == [old.last])
        #expect(difference.changed.map(\.new) == [new.last])
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
        #expect(difference.added == Array(new))
        #expect(difference.removed == Array(old))
        #expect(difference.removed.map(\.id.name) == ["3", "2", "1"])
    }

    @Test func fieldsKeepTheOrderOfTheNewRecordAndRemovedOnesAreLast() throws {
        let changes = try difference(
            from: ["gone": 1, "b": 1, "same": 1, "left": 2, "a": 1], to: ["a": 2, "same": 1, "new": 1, "b": 2])
        #expect(changes.map(\.name) == ["a", "new", "b", "gone", "left"])
        #expect(changes.map(\.old) == [1, nil, 1, 1, 2])
        #expect(changes.map(\.new) == [2, 1, 2, nil, nil])
    }

    @Test func orderOfFieldsIsNoDifference() throws {
        #expect(try difference(from: ["a": 1, "b": ["c": 1, "d": 2]], to: ["b": ["d": 2, "c": 1], "a": 1]).isEmpty)
        let many = (0..<40).map { ("f\($0)", Record.Value.int($0)) }
        #expect(try difference(from: .init(many), to: .init(many.reversed())).isEmpty)
    }

    static let nearlyEqual: [(Record.Value, Record.Value)] = [
        (.double(0), .double(-0.0)),
        (.int(1), .double(1)),
        (.null, .bool(false)),
        (.string("\u{E9}"), .string("e\u{301}")),
        (
            .date(Date(timeIntervalSinceReferenceDate: 0)),
            .date(Date(timeIntervalSinceReferenceDate: 0).addingTimeInterval(1e-9))
        ),
        (.date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: -0.0))),
        (.bytes(Data([1])), .bytes(Data([1, 0]))),
        (.list([]), .map([:])),
        (.list([1]), .list([1, 1])),
        (.map(["\u{E9}": 1]), .map(["e\u{301}": 1])),
        (.map(["a": 1]), .map(["a": 1, "b": .null])),
        (.map(["a": 1, "c": 2]), .map(["a": 1, "b": 2])),
    ]

    @Test(arguments: nearlyEqual.indices, [0, 1, 2, 3])
    func whatIsNotTheSameToTheLastBitIsADifference(index: Int, nesting: Int) throws {
        let (one, other) = Self.nearlyEqual[index]
        func wrapped(_ value: Record.Value) -> Record.Value {
            switch nesting {
            case 1: [1, .list([value])]
            case 2: ["x": ["y": value]]
            case 3: [["y": value]]
            default: value
            }
        }
        for (old, new) in [(one, other), (other, one)] {
            let changes = try difference(from: ["f": wrapped(old)], to: ["f": wrapped(new)])
            #expect(changes.map(\.name) == ["f"])
            #expect(try difference(from: ["f": wrapped(old)], to: ["f": wrapped(old)]).isEmpty)
        }
    }

    @Test func zerosOfLocationsAndReferencesAreCompared() throws {
        let north = try Record.Value.location(Location(latitude: 0, longitude: 1))
        let south = try Record.Value.location(Location(latitude: -0.0, longitude: 1))
        #expect(try difference(from: ["f": north], to: ["f": south]).count == 1)
        let plain = try Flat.reference("A/1"), link = try Flat.reference("A/1", isLink: true)
        #expect(try difference(from: ["f": plain], to: ["f": link]).count == 1)
        let composed = try Flat.reference("A/\u{E9}"), decomposed = try Flat.reference("A/e\u{301}")
        #expect(try difference(from: ["f": composed], to: ["f": decomposed]).count == 1)
    }

    @Test func namesInTwoSpellingsAreTwoRecords() throws {
        let old = try RecordGraph([Flat.record("A/\u{E9}", ["f": 1])])
        let new = try RecordGraph([Flat.record("A/e\u{301}", ["f": 1])])
        let difference = new.difference(from: old)
        #expect(difference.added == Array(new))
        #expect(difference.removed == Array(old))
    }

    @Test func fieldInAnotherSpellingIsOneThatGoesAndOneThatComes() throws {
        let changes = try difference(from: ["\u{E9}": 1], to: ["e\u{301}": 1])
        #expect(changes.map(\.old) == [nil, 1])
        #expect(changes.map(\.new) == [1, nil])
        #expect(changes.map { $0.name.utf8.count } == [3, 2])
    }

    @Test func allNotANumbersAreTheSame() throws {
        let one = Record.Value.double(.nan), other = Record.Value.double(Double(nan: 7, signaling: false))
        #expect(try difference(from: ["f": [one], "g": one], to: ["f": [other], "g": other]).isEmpty)
    }

    @Test func deepValuesAreComparedOnASmallStack() async throws {
        func deep(_ innermost: Record.Value) -> Record.Value {
            (0..<999).reduce(innermost) { value, level in level % 2 == 0 ? [value] : ["v": value] }
        }
        let old = try RecordGraph([Flat.record("A/1", ["f": deep(0.0)])])
        let same = try RecordGraph([Flat.record("A/1", ["f": deep(0.0)])])
        let new = try RecordGraph([Flat.record("A/1", ["f": deep(-0.0)])])
        try await inThreadWithSmallStack { () throws -> Void in
            #expect(same.difference(from: old).isEmpty)
            #expect(new.difference(from: old).changed.count == 1)
        }
    }

    @Test func ringsAreCompared() throws {
        let (first, last) = Station.ring(of: 5)
        defer { last.next = nil }
        let old = try RecordEncoder().encode(first)
        last.name = "Terminus"
        let new = try RecordEncoder().encode(first)
        #expect(
            new.difference(from: old).description == """
                ~ Station/5
                    ~ name: "Station 5" => "Terminus"
                """)
    }

    @Test func timeGrowsWithTheNumberOfRecordsAndFields() throws {
        func graph(records: Int, fields: Int, offset: Int64) throws -> RecordGraph {
            let values = Record.Fields((0..<fields).map { ("field \($0)", .int(Int64($0) + offset)) })
            return try RecordGraph((0..<records).map { try Flat.record("A/\($0)", values) })
        }
        func time(records: Int, fields: Int) throws -> Duration {
            let old = try graph(records: records, fields: fields, offset: 0)
            let new = try graph(records: records, fields: fields, offset: 1)
            return try threadTime {
                let difference = new.difference(from: old)
                try #require(difference.changed.count == records)
                try #require(difference.changed.allSatisfy { $0.fields.count == fields })
            }
        }
        let small = try time(records: 500, fields: 10)
        #expect(try time(records: 5_000, fields: 10) < small * 60)
        #expect(try time(records: 1, fields: 50_000) < small * 60)
    }
}

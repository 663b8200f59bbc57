import Foundation
import NestedRecords
import TestSupport
import Testing

/// What counts as the same value.
@Suite struct ValueDifferenceTests {
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
            let changes = try RecordGraphDifference.fields(from: ["f": wrapped(old)], to: ["f": wrapped(new)])
            #expect(changes.map(\.name) == ["f"])
            #expect(try RecordGraphDifference.fields(from: ["f": wrapped(old)], to: ["f": wrapped(old)]).isEmpty)
        }
    }

    @Test func zerosOfLocationsAndReferencesAreCompared() throws {
        let north = try Record.Value.location(Location(latitude: 0, longitude: 1))
        let south = try Record.Value.location(Location(latitude: -0.0, longitude: 1))
        #expect(try RecordGraphDifference.fields(from: ["f": north], to: ["f": south]).count == 1)
        let plain = try Flat.reference("A/1"), link = try Flat.reference("A/1", isLink: true)
        #expect(try RecordGraphDifference.fields(from: ["f": plain], to: ["f": link]).count == 1)
        let composed = try Flat.reference("A/\u{E9}"), decomposed = try Flat.reference("A/e\u{301}")
        #expect(try RecordGraphDifference.fields(from: ["f": composed], to: ["f": decomposed]).count == 1)
    }

    @Test func namesInTwoSpellingsAreTwoRecords() throws {
        let old = try RecordGraph([Flat.record("A/\u{E9}", ["f": 1])])
        let new = try RecordGraph([Flat.record("A/e\u{301}", ["f": 1])])
        let difference = new.difference(from: old)
        #expect(difference.added == Array(new) && difference.removed == Array(old))
    }

    @Test func fieldInAnotherSpellingIsOneThatGoesAndOneThatComes() throws {
        let changes = try RecordGraphDifference.fields(from: ["\u{E9}": 1], to: ["e\u{301}": 1])
        #expect(changes.map(\.old) == [nil, 1] && changes.map(\.new) == [1, nil])
        #expect(changes.map { $0.name.utf8.count } == [3, 2])
    }

    @Test func allNotANumbersAreTheSame() throws {
        let one = Record.Value.double(.nan), other = Record.Value.double(Double(nan: 7, signaling: false))
        #expect(
            try RecordGraphDifference.fields(from: ["f": [one], "g": one], to: ["f": [other], "g": other]).isEmpty)
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
}

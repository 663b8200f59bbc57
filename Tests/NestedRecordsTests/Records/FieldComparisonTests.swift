import Foundation
import Testing

@testable import NestedRecords

@Suite struct FieldComparisonTests {
    private static let values: [Record.Value] = [
        .null, .bool(true), .int(0), .double(0), .double(-0.0), .double(.nan), .string("a"), .string("b"),
        .bytes(Data([1])), .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: -0.0)), .list([]),
        .list([1]), .list([.double(0)]), .list([.double(-0.0)]), .list([.list([1, 2]), .map(["a": 1])]),
        .list([.list([1, 3]), .map(["a": 1])]), .map([:]), .map(["a": 1, "b": 2]), .map(["a": 1, "b": 3]),
    ]

    @Test func fieldsAreIdenticalIfTheirValuesAre() {
        var comparison = FieldComparison()
        for left in Self.values {
            for right in Self.values {
                let isIdentical = comparison.areIdentical(["x": 1, "y": left], ["x": 1, "y": right])
                #expect(isIdentical == left.isIdentical(to: right), "\(left) and \(right)")
            }
        }
    }

    private func areIdentical(_ left: Record.Fields, _ right: Record.Fields) -> Bool {
        var comparison = FieldComparison()
        return comparison.areIdentical(left, right)
    }

    @Test func orderDoesNotMatterAndNamesDo() {
        #expect(areIdentical(["a": 1, "b": 2], ["b": 2, "a": 1]))
        #expect(areIdentical(["a": .map(["c": 1, "d": 2])], ["a": .map(["d": 2, "c": 1])]))
        #expect(!areIdentical(["a": 1, "b": 2], ["a": 2, "b": 1]))
        #expect(!areIdentical(["a": 1], ["a": 1, "b": 2]))
        #expect(!areIdentical(["a": 1], ["b": 1]))
        // Two Unicode spellings of one name.
        #expect(!areIdentical(["\u{E9}": 1], ["e\u{301}": 1]))
        #expect(areIdentical([:], [:]))
    }

    @Test func knownNamesAreNotTakenForOthers() {
        let (first, second) = (Record.Fields([("a", 1), ("b", 2)]), Record.Fields([("a", 1), ("b", 2)]))
        let third = Record.Fields([("b", 1), ("a", 2)])
        var comparison = FieldComparison()
        for _ in 0..<2 {
            let results = [(first, second), (first, third), (third, second)].map { comparison.areIdentical($0, $1) }
            #expect(results == [true, false, false])
        }
    }
}

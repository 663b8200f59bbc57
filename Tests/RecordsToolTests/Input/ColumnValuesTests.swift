import NestedRecords
import Testing

@testable import records

/// The kinds of the columns of CSV.
@Suite struct ColumnValuesTests {
    @Test(
        arguments: [
            (["1", "-20", "0"], [.int(1), .int(-20), .int(0)]),
            (["1", "007"], [.string("1"), .string("007")]),
            (["1", "+2"], [.string("1"), .string("+2")]),
            (["9223372036854775808"], [.string("9223372036854775808")]),
            (["1", "2.5", "-0.1", "1e+16"], [.double(1), .double(2.5), .double(-0.1), .double(1e16)]),
            (["1.50", "2.25", "3.00"], [.double(1.5), .double(2.25), .double(3)]),
            (["1.9", "1.10"], [.string("1.9"), .string("1.10")]),
            (["0.1234567890123456789"], [.string("0.1234567890123456789")]),
            ([".5"], [.string(".5")]), (["1."], [.string("1.")]), (["nan", "inf"], [.string("nan"), .string("inf")]),
            (["0x10"], [.string("0x10")]),
            (["true", "false"], [.bool(true), .bool(false)]), (["TRUE", "FALSE"], [.bool(true), .bool(false)]),
            (["true", "False"], [.string("true"), .string("False")]),
            (["2020-01-31"], [.string("2020-01-31")]),
            (["1", "x"], [.string("1"), .string("x")]),
        ] as [([String?], [Record.Value?])])
    func columnHasAKindIfEveryValueHasIt(_ texts: [String?], _ values: [Record.Value?]) {
        #expect(ColumnValues.of(texts) == values)
    }

    @Test func datesInOneSpellingAreDates() {
        let values = ColumnValues.of(["2020-01-31T12:00:00Z", nil])
        if case .date? = values[0] {} else { Issue.record("\(values)") }
        #expect(ColumnValues.of(["2020-01-31T12:00:00Z", "soon"])[0] == .string("2020-01-31T12:00:00Z"))
    }

    @Test func emptyStringIsAValueOfStringsAlone() {
        #expect(ColumnValues.of(["1", "", nil]) == [.int(1), nil, nil])
        #expect(ColumnValues.of(["x", "", nil]) == [.string("x"), .string(""), nil])
    }
}

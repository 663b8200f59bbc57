import Testing

@testable import records

@Suite struct FilterErrorTests {
    private static let comparison =
        "expected =, !=, <, <=, >, >=, ~, in, between, like, matches, is null, is not null, exists, prefix, contains, within, near or refers to"
    private static let numeric =
        "expected a number, a date such as 2010-01-31 or 2010-01-31T09:30:00Z, a location such as 57.05;-5.13, or "
        + "quotes around a string"

    @Test(arguments: [
        ("", "column 1: found the end, expected the name of a field"),
        ("a", "column 2: found the end, \(comparison)"),
        ("a 5", "column 3: found '5', \(comparison)"),
        ("a prefxi b", "column 3: found 'prefxi', \(comparison); did you mean 'prefix'?"),
        ("a =", "column 4: found the end, expected a value"),
        ("a === 1", "column 5: found '=', expected a value"),
        ("= 1", "column 1: found '=', expected the name of a field"),
        ("a. = 1", "column 3: found ' ', expected the name of a field"),
        ("a..b = 1", "column 3: found '.b', expected the name of a field"),
        (
            "a = Ada Fern",
            "column 9: found 'Fern', expected 'and', 'or' or the end; a string of several words needs quotes"
        ),
        (
            "(a = 1 b",
            "column 8: found 'b', expected 'and', 'or', ')' or the end; a string of several words needs quotes"
        ),
        ("(a = 1", "column 7: found the end, expected the ')' for the '(' of column 1"),
        ("a = 1)", "column 6: found ')', expected 'and', 'or' or the end"),
        ("()", "column 2: found ')', expected the name of a field"),
        ("a = 1 and", "column 10: found the end, expected the name of a field"),
        ("a = 1 and or b = 2", "column 11: found 'or', expected a field, 'not' or '('"),
        ("a is not 5", "column 10: found '5', expected 'null' or 'not null'"),
        ("a between 1", "column 12: found the end, expected 'and' and the greatest value"),
        ("a like '%x'", "column 8: found ''', expected a pattern 'text', 'text%' or '%text%'"),
        ("a like '%'", "column 8: found ''', expected a pattern 'text', 'text%' or '%text%'"),
        (
            "@modified > yesterdy",
            "column 13: found 'yesterdy', expected a date such as 2010-01-31, 'today' or 'yesterday'"
        ),
        ("a not 5", "column 7: found '5', expected 'in', 'between' or 'like'"),
        ("a in 1", "column 6: found '1', expected '('"),
        ("a in (1 2)", "column 9: found '2', expected ',' or ')'"),
        ("a in (1,)", "column 9: found ')', expected a value"),
        ("a = 'x", "column 7: found the end, expected the \"'\" that ends the string that begins at column 5"),
        ("a = \"x\\\"", "column 9: found the end, expected the '\"' that ends the string that begins at column 5"),
        ("a = [1, [2]", "column 12: found the end, expected the end of the value that begins at column 5"),
        ("a = 2010-13-01", "column 5: found '2010-13-01', \(numeric)"),
        ("a = 01234", "column 5: found '01234', \(numeric)"), ("a = 91;0", "column 5: found '91;0', \(numeric)"),
        ("a = 1e999", "column 5: found '1e999', \(numeric)"), ("a = -x", "column 5: found '-x', \(numeric)"),
        ("a = 1.", "column 5: found '1.', \(numeric)"),
        ("a = a b/c", "column 7: found 'b/c', expected 'and', 'or' or the end; a string of several words needs quotes"),
        ("a = ü/c", "column 5: found 'ü/c', expected a reference such as Person/ada, or quotes around a string"),
        ("a matches", "column 10: found the end, expected a string"),
        ("a = 1 and a matches '(x'", "column 22: '(x' is not a regular expression"),
        ("a not matches 'x{2,1}'", "column 17: 'x{2,1}' is not a regular expression"),
        ("a matches *", "column 11: '*' is not a regular expression"),
        ("a matches 'x''*+*'", "column 17: 'x'*+*' is not a regular expression"),
        (#"a matches "\\d\\p{X}""#, #"column 15: '\d\p{X}' is not a regular expression"#),
        ("a matches ''", "column 12: '' is not a regular expression"),
        ("a matches [x", "column 11: found '[', expected a string"),
        ("@type matches x", "column 7: 'matches' follows a field or @name"),
        ("a refers Book", "column 10: found 'Book', expected 'to'"),
        ("a refers to 5", "column 13: found '5', expected the type of a record"),
        ("a refers to B where c = 1", "column 21: found 'c', expected '('"),
        ("a near (1;2, b)", "column 14: found 'b', expected a number"),
        ("a near (1;2)", "column 12: found ')', expected ','"),
        ("a within (1, 2)", "column 11: found '1', expected a location such as 57.05;-5.13"),
        ("@nmae = 1", "column 1: unknown attribute '@nmae'; did you mean '@name'?"),
        ("@id < A/b", "column 5: found '<', expected =, != or in after @id"),
        ("@id = b", "column 7: found 'b', expected an ID such as Person/ada"),
        ("@type refers to B", "column 7: found 'refers', expected a comparison of the type"),
        ("a = 1\n  and b ? 2", "line 2, column 9: found '?', \(comparison)"),
        ("é = 1 ;", "column 7: found ';', expected 'and', 'or' or the end; a string of several words needs quotes"),
    ])
    func errorHasItsPlaceAndWhatIsExpected(_ text: String, _ reason: String) {
        #expect(throws: UsageError("text, \(reason)")) {
            try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["A"])
        }
    }

    @Test(arguments: [
        #"a = {"$date": "x"}"#, #"a = [1}"#, #"a = {"$nothing": 1}"#, #"a = "\x""#, "a = \"\u{1}\"", #"a = {1}"#,
    ])
    func errorInJSONHasItsPlace(_ text: String) {
        #expect {
            try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["A"])
        } throws: {
            "\($0)".hasPrefix("text, column 5: at line 1, column ")
        }
    }
}

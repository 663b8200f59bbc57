import TestSupport
import Testing

@testable import NestedRecords

@Suite struct JSONErrorTests {
    @Test(arguments: [
        ("", "line 1, column 1: found the end, expected a value"),
        (" \n ", "line 2, column 2: found the end, expected a value"),
        ("nul", "line 1, column 1: found 'nul', expected a value"),
        ("nullx", "line 1, column 1: found 'nullx', expected a value"),
        ("True", "line 1, column 1: found 'True', expected a value"),
        ("'a'", "line 1, column 1: found ''', expected a value"),
        ("«", "line 1, column 1: found '«', expected a value"),
        ("\u{200B}1", "line 1, column 1: found the character U+200B, expected a value"),
        ("1 2", "line 1, column 3: found '2', expected the end of the document"),
        ("1\u{0}", "line 1, column 2: found the character U+0000, expected the end of the document"),
        ("[1,]", "line 1, column 4: found ']', expected a value"),
        ("[1 2]", "line 1, column 4: found '2', expected ',' or ']' in the list"),
        ("[1", "line 1, column 3: found the end, expected ',' or ']' in the list"),
        ("[1}", "line 1, column 3: found '}', expected ',' or ']' in the list"),
        ("{\"a\":1]", "line 1, column 7: found ']', expected ',' or '}' in the object"),
        ("{\"a\":1,}", "line 1, column 8: found '}', expected a key in quotes"),
        ("{a:1}", "line 1, column 2: found 'a', expected a key in quotes"),
        ("{\"a\" 1}", "line 1, column 6: found '1', expected ':' after the key"),
        ("{\"a\":}", "line 1, column 6: found '}', expected a value"),
        ("{\"a\":1,\r\n \"a\":2}", "line 2, column 2: found the key 'a' again, expected each key of an object once"),
        (
            "{\"é\":1,\"e\u{301}\":2}",
            "line 1, column 8: found the key 'e\u{301}' again, expected each key of an object once"
        ),
        ("-", "line 1, column 2: found the end, expected a digit"),
        ("+1", "line 1, column 1: found '+', expected a value"),
        (".5", "line 1, column 1: found '.', expected a value"),
        ("01", "line 1, column 1: found a number that begins with 0, expected no further digits"),
        ("-01", "line 1, column 1: found a number that begins with 0, expected no further digits"),
        ("1.", "line 1, column 3: found the end, expected a digit after the point"),
        ("1.e5", "line 1, column 3: found 'e5', expected a digit after the point"),
        ("1e", "line 1, column 3: found the end, expected a digit in the exponent"),
        ("1e+x", "line 1, column 4: found 'x', expected a digit in the exponent"),
        ("0x10", "line 1, column 2: found 'x10', expected the end of the number"),
        ("1.5.2", "line 1, column 4: found '.', expected the end of the number"),
        (
            "9223372036854775808",
            "line 1, column 1: found an integer that 64 bits do not hold, expected one from -9223372036854775808 to "
                + "9223372036854775807"
        ),
        (
            "[-9223372036854775809]",
            "line 1, column 2: found an integer that 64 bits do not hold, expected one from -9223372036854775808 to "
                + "9223372036854775807"
        ),
        ("1e309", "line 1, column 1: found a number that a Double does not hold, expected one up to 1.8e308"),
        ("-1e-400", "line 1, column 1: found a number that a Double rounds to 0, expected one from 5e-324 on"),
        ("0.10e-999", "line 1, column 1: found a number that a Double rounds to 0, expected one from 5e-324 on"),
        ("-1e309", "line 1, column 1: found a number that a Double does not hold, expected one up to 1.8e308"),
        ("\"a", "line 1, column 3: found the end, expected the '\"' that ends the string"),
        ("\"a long enough text", "line 1, column 20: found the end, expected the '\"' that ends the string"),
        (
            "\"a\nb\"",
            "line 1, column 3: found the character U+000A in a string, expected an escape for it or the '\"' that ends "
                + "the string"
        ),
        (#""\x""#, #"line 1, column 3: found 'x', expected one of " \ / b f n r t u after '\'"#),
        (#""\u12g4""#, #"line 1, column 6: found 'g4', expected four hexadecimal digits after '\u'"#),
        (
            #""ab\uD83D""#,
            #"line 1, column 4: found half of a surrogate pair, expected both halves: \uD83D\uDE00"#
        ),
        (#""\uD83D\n""#, #"line 1, column 2: found half of a surrogate pair, expected both halves: \uD83D\uDE00"#),
        (#""\uD83DA""#, #"line 1, column 2: found half of a surrogate pair, expected both halves: \uD83D\uDE00"#),
        (#""\uDE00""#, #"line 1, column 2: found half of a surrogate pair, expected both halves: \uD83D\uDE00"#),
    ])
    func faultIsPlaced(text: String, message: String) {
        expect(Array(text.utf8), message)
    }

    // Latin-1 bytes that are not UTF-8 stand for themselves.
    @Test(arguments: [
        ("\"a\u{C3}\u{A9}\u{FF}\"", "line 1, column 4: found bytes that are not UTF-8, expected text in UTF-8"),
        ("\"\\n\u{C3}\"", "line 1, column 4: found bytes that are not UTF-8, expected text in UTF-8"),
        ("{\"\u{ED}\u{A0}\u{80}\":1}", "line 1, column 3: found bytes that are not UTF-8, expected text in UTF-8"),
        ("\u{C3}", "line 1, column 1: found a byte that is not UTF-8, expected a value"),
    ])
    func invalidBytesArePlaced(latin1: String, message: String) {
        expect(latin1.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, message)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func nestingBeyondTheLimitIsRefused(opening: String) {
        let reason = "found more than 512 nested lists and objects, expected fewer"
        let column = opening.utf8.count * 512 + 1
        expect(Array(String(repeating: opening, count: 1_000_000).utf8), "line 1, column \(column): \(reason)")
    }

    @Test func duplicateKeyOfALargeObjectIsFound() {
        let members = (0..<1_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let text = "{\(members),\n\"k999\":0}"
        expect(Array(text.utf8), "line 2, column 1: found the key 'k999' again, expected each key of an object once")
    }

    private func expect(_ bytes: [UInt8], _ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: JSONError.self, sourceLocation: sourceLocation) {
            var reader = JSONReader()
            return try reader.value(in: bytes)
        }
        #expect(error?.description == message, sourceLocation: sourceLocation)
    }
}

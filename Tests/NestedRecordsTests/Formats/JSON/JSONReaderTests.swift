import TestSupport
import Testing

@testable import NestedRecords

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("null", JSONValue.Content.null),
        ("true", .bool(true)),
        ("false", .bool(false)),
        ("0", .integer(0)),
        ("-1", .integer(-1)),
        ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("100000000000000000", .integer(100_000_000_000_000_000)),
        ("-0", .number(-0.0)),
        ("1.0", .number(1)),
        ("-0.0", .number(-0.0)),
        ("1e3", .number(1_000)),
        ("1E+3", .number(1_000)),
        ("25e-1", .number(2.5)),
        ("0.1", .number(0.1)),
        ("35.45139", .number(35.45139)),
        ("123456789012345.6789", .number(123_456_789_012_345.6789)),
        ("0.30000000000000004", .number(0.30000000000000004)),
        ("2.2250738585072014e-308", .number(.leastNormalMagnitude)),
        ("5e-324", .number(.leastNonzeroMagnitude)),
        ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
        ("\"\"", .text("")),
        ("\"a longer text than fits in place\"", .text("a longer text than fits in place")),
        ("\"Ærøskøbing 港 💧\"", .text("Ærøskøbing 港 💧")),
        (#""\"\\\/\b\f\n\r\t""#, .text("\"\\/\u{8}\u{C}\n\r\t")),
        (#""\u00e9 \uD83D\uDCA7 \ud83d\udca7 \u0000""#, .text("é 💧 💧 \0")),
        (#""twelve bytes\nand ü""#, .text("twelve bytes\nand ü")),
        ("[]", .array([])),
        ("{}", .object(JSONObject(keys: [], values: []))),
        (" [ 1 , [ ] ] \r\n\t", .array([JSONValue(.integer(1)), JSONValue(.array([]))])),
        ("\u{FEFF}1", .integer(1)),
    ])
    func valueIsRead(text: String, content: JSONValue.Content) throws {
        #expect(try read(text) == JSONValue(content))
    }

    @Test func membersKeepTheirOrder() throws {
        let keys = try read(#"[{"b":1,"a":2},{"a":1,"b":2},{"b":1,"a":2,"c":{}},{"b":3}]"#).items.map(\.keys)
        #expect(keys == [["b", "a"], ["a", "b"], ["b", "a", "c"], ["b"]])
    }

    @Test func keysThatLookAlikeAreDifferent() throws {
        let text = #"[{"\n":1},{"\\n":2},{"a\"b":3},{"a":4},{"\u0061":5},{"":6}]"#
        #expect(try read(text).items.map(\.keys) == [["\n"], ["\\n"], ["a\"b"], ["a"], ["a"], [""]])
        #expect(try read(#"[{"\\n":1},{"\n":2}]"#).items.map(\.keys) == [["\\n"], ["\n"]])
    }

    @Test func canonicallyEquivalentKeysKeepTheirBytes() throws {
        let keys = try read("[{\"e\u{301}\":1},{\"é\":1},{\"e\u{301}\":1}]").items.map(\.keys)
        #expect(keys.map { $0.map { Array($0.utf8) } } == [[[101, 204, 129]], [[195, 169]], [[101, 204, 129]]])
    }

    @Test func manyDifferentKeysAreRead() throws {
        let numbers = 0..<5_000
        let members = numbers.map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let object = try read("{\(members)}")
        #expect(object.keys == numbers.map { "k\($0)" })
        let list = try read("[\(numbers.map { "{\"k\($0)\":\($0)}" }.joined(separator: ","))]")
        #expect(list.items.map(\.keys) == numbers.map { ["k\($0)"] })
    }

    @Test func readerGoesOnToTheNextDocument() throws {
        var reader = JSONReader()
        #expect(throws: JSONError.self) { try reader.value(in: Array(#"[{"a":[1,"#.utf8)) }
        #expect(try reader.value(in: Array(#"{"a":1}"#.utf8)).keys == ["a"])
        #expect(try reader.value(in: Array(#"{"a":1,"b":2}"#.utf8)).keys == ["a", "b"])
    }

    @Test func valuesKnowWhereTheyBegin() throws {
        let text = "\u{FEFF}{\n \"é\" : [ 1,\r\n\"b\" ],\r\"c\":{}}"
        let value = try read(text)
        let list = try #require(value["é"])
        let values = [value, list] + list.items + [try #require(value["c"])]
        let places = Array(text.utf8).withBytesInPlace { bytes in
            values.map { JSONPlace(of: $0.offset, in: bytes).description }
        }
        #expect(
            places == [
                "line 1, column 1", "line 2, column 8", "line 2, column 10", "line 3, column 1", "line 4, column 5",
            ])
    }

    @Test func nestingUpToTheLimitIsRead() throws {
        let depth = JSONReader.maximumDepth
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        var writer = JSONWriter()
        writer.write(try read(text))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    private func read(_ text: String) throws -> JSONValue {
        var reader = JSONReader()
        return try reader.value(in: Array(text.utf8))
    }
}

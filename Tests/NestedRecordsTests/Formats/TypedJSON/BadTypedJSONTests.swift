import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct BadTypedJSONTests {
    private static func unknown(_ mark: String) -> String {
        "found the mark '\(mark)', which no value has, expected {\"$map\": {…}} around such keys"
    }

    @Test(arguments: [
        (#"{"$mark":1}"#, Self.unknown("$mark")),
        (#"{"$":1}"#, Self.unknown("$")),
        (#"{"a":1,"$REF":"A/1"}"#, Self.unknown("$REF")),
        (#"{"$date":"2001-02-30T00:00:00Z"}"#, "found '2001-02-30T00:00:00Z', expected a date with time and zone"),
        (#"{"$date":"2001-01-01T00:00:00"}"#, "found '2001-01-01T00:00:00', expected a date with time and zone"),
        (#"{"$date":"tomorrow"}"#, "found 'tomorrow', expected a date with time and zone"),
        (#"{"$date":"2001-01-01"}"#, "found '2001-01-01', expected a date with time and zone"),
        (#"{"$bytes":"a"}"#, "found a string that is not in base 64, expected one that is"),
        (#"{"$bytes":"aGk=\n"}"#, "found a string that is not in base 64, expected one that is"),
        (#"{"$bytes":"äöü="}"#, "found a string that is not in base 64, expected one that is"),
        (#"{"$location":"12;"}"#, "'12;' is not a location: the form is two decimal numbers: latitude;longitude"),
        (
            #"{"$location":"91;0"}"#,
            "'91.0;0.0' is not a location: the latitude is not between −90 and 90 degrees"
        ),
        (
            #"{"$ref":"Person"}"#,
            "'Person/' is not the ID of a record: the form of an ID is its type, a slash and its name"
        ),
        (#"{"$ref":"Person/"}"#, "'Person/' is not the ID of a record: the name is empty"),
        (#"{"$double":"x"}"#, "found 'x', expected nan, inf or -inf"),
        (#"{"$double":"2"}"#, "found '2', expected nan, inf or -inf"),
        (#"{"$double":""}"#, "found '', expected nan, inf or -inf"),
        (#"{"$double":"1e999"}"#, "found '1e999', expected nan, inf or -inf"),
        (#"{"$double":"Infinity"}"#, "found 'Infinity', expected nan, inf or -inf"),
        (#"{"$double":"nan(0x7)"}"#, "found 'nan(0x7)', expected nan, inf or -inf"),
    ])
    func markedObjectWithABadContentIsCorrupted(_ text: String, saying reason: String) throws {
        let context = try context(of: try #require(throws: DecodingError.self) { try value(text) })
        #expect(context.debugDescription == reason)
        #expect(context.codingPath.prefix(2).map(\.stringValue) == ["fields", "field"])
    }

    @Test(arguments: [
        #"{"$ref":1}"#, #"{"$ref":null}"#, #"{"$ref":"A/1","link":"yes"}"#, #"{"$ref":"A/1","action":"explode"}"#,
        #"{"$date":true}"#, #"{"$date":null}"#, #"{"$date":{}}"#, #"{"$bytes":[1]}"#, #"{"$location":[1,2]}"#,
        #"{"$double":true}"#, #"{"$double":null}"#, #"{"$map":[]}"#, #"{"$map":1}"#, #"{"$map":{"a":{"$x":1}}}"#,
        #"[1,[{"$date":""}]]"#,
        // More than the kind has.
        #"{"$ref":"A/1","$date":"2001-01-01T00:00:00Z"}"#, #"{"$double":1,"$location":"1;2"}"#,
        #"{"$date":"2001-01-01T00:00:00Z","name":"lost"}"#, #"{"$ref":"A/1","name":"lost"}"#,
        #"{"$map":{},"name":"lost"}"#, #"{"$bytes":"","link":true}"#,
        // As floating-point numbers these would have lost digits.
        "9223372036854775808", "-9223372036854775809", "18446744073709551615", "123456789012345678901234",
    ])
    func valueThatIsNoneIsRefusedWithItsPlace(_ text: String) throws {
        let context = try context(of: try #require(throws: DecodingError.self) { try value(text) })
        #expect(context.codingPath.prefix(2).map(\.stringValue) == ["fields", "field"])
        #expect(!context.debugDescription.isEmpty)
    }

    @Test(arguments: [
        (#"{"fields":{}}"#, "id"), (#"{"id":"A/1"}"#, "fields"), ("{}", "id"),
        (#"{"id":"A/1","fields":{},"metadata":{}}"#, "changeTag"),
        (#"{"id":"A/1","fields":{},"metadata":{"changeTag":"1"}}"#, "creationDate"),
    ])
    func missingPartIsNamed(_ text: String, key: String) throws {
        let context = try context(of: try #require(throws: DecodingError.self) { try record(text) })
        #expect(context.debugDescription.hasPrefix("found an object without the key '\(key)'"))
    }

    @Test(arguments: [
        (#"{"id":"A","fields":{}}"#, ["id"], "the form of an ID is its type, a slash and its name"),
        (#"{"id":"A/\u0000","fields":{}}"#, ["id"], "the name has a control character"),
        (#"{"id":"é/1","fields":{}}"#, ["id"], "the type does not begin with an ASCII letter"),
        (#"{"id":"A/1","fields":{"":1}}"#, ["fields"], "a field's name must not be empty"),
        (
            #"{"id":"A/1","fields":{},"metadata":{"changeTag":"1","creationDate":5,"modificationDate":5}}"#,
            ["metadata", "creationDate"], "expected a date"
        ),
    ])
    func badPartIsNamed(_ text: String, path: [String], saying reason: String) throws {
        let context = try context(of: try #require(throws: DecodingError.self) { try record(text) })
        #expect(context.codingPath.map(\.stringValue) == path)
        #expect(context.debugDescription.contains(reason))
    }

    @Test(arguments: ["", "[]", "null", "1", #""A/1""#, #"{"id":1,"fields":{}}"#, #"{"id":"A/1","fields":[]}"#, "{"])
    func otherJSONIsNotARecord(_ text: String) {
        #expect(throws: DecodingError.self) { try record(text) }
    }

    @Test func deeperJSONThanTheDecoderTakesIsRefused() {
        let text = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(throws: DecodingError.self) { try value(text) }
    }

    private func record(_ text: String) throws -> Record {
        try JSONDecoder().decode(Record.self, from: Data(text.utf8))
    }

    private func value(_ text: String) throws -> Record.Value? {
        try record(#"{"id":"A/1","fields":{"field":\#(text)}}"#)["field"]
    }

    private func context(of error: DecodingError) throws -> DecodingError.Context {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            return context
        @unknown default: throw error
        }
    }
}

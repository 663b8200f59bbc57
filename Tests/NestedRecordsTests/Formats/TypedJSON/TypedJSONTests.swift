import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct TypedJSONTests {
    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func forms() throws -> [(Record.Value, String)] {
        let id = try Record.ID("Person/a/b")
        return [
            (.null, "null"), (.bool(true), "true"), (.int(-5), "-5"), (.int(.max), "9223372036854775807"),
            (.int(.min), "-9223372036854775808"), (.double(0.5), "0.5"), (.double(2), #"{"$double":2}"#),
            (.double(-0.0), #"{"$double":-0}"#), (.double(.nan), #"{"$double":"nan"}"#),
            (.double(-.nan), #"{"$double":"0xfff8000000000000"}"#),
            (.double(Double(nan: 1, signaling: false)), #"{"$double":"0x7ff8000000000001"}"#),
            (.double(Double(nan: 7, signaling: true)), #"{"$double":"0x7ff4000000000007"}"#),
            (.date(Date(timeIntervalSinceReferenceDate: -0.0)), #"{"$date":-0}"#),
            (.date(Date(timeIntervalSinceReferenceDate: -.nan)), #"{"$date":"0xfff8000000000000"}"#),
            (.double(.infinity), #"{"$double":"inf"}"#), (.double(-.infinity), #"{"$double":"-inf"}"#),
            (.string("$ref"), #""$ref""#), (.string(""), #""""#),
            (.date(Date(timeIntervalSinceReferenceDate: 0)), #"{"$date":"2001-01-01T00:00:00Z"}"#),
            (.date(Date(timeIntervalSinceReferenceDate: 0.25)), #"{"$date":"2001-01-01T00:00:00.25Z"}"#),
            (.date(Date(timeIntervalSinceReferenceDate: 1e15)), #"{"$date":1000000000000000}"#),
            (.date(Date(timeIntervalSinceReferenceDate: .infinity)), #"{"$date":"inf"}"#),
            (.bytes(Data("hi".utf8)), #"{"$bytes":"aGk="}"#), (.bytes(Data()), #"{"$bytes":""}"#),
            (.location(try Location("1.5;2.5")), #"{"$location":"1.5;2.5"}"#),
            (.reference(Record.Reference(to: id)), #"{"$ref":"Person/a/b"}"#),
            (
                .reference(Record.Reference(to: id, action: .deleteSelf, isLink: true)),
                #"{"$ref":"Person/a/b","action":"deleteSelf","link":true}"#
            ),
            (.list([]), "[]"), (.list([.null, .list([.int(1)])]), "[null,[1]]"), (.map([:]), "{}"),
            (.map(["b": .int(1), "a": .map(["": .null])]), #"{"a":{"":null},"b":1}"#),
            (.map(["$ref": .string("Person/1")]), #"{"$map":{"$ref":"Person/1"}}"#),
            (.map(["$map": .map(["$": .null])]), #"{"$map":{"$map":{"$map":{"$":null}}}}"#),
            (.map(["link": .bool(true)]), #"{"link":true}"#),
        ]
    }

    @Test func everyValueHasItsFormAndIsReadBack() throws {
        for (value, text) in try Self.forms() {
            #expect(try Self.json([value]) == "[\(text)]")
            let read = try JSONDecoder().decode([Record.Value].self, from: Data("[\(text)]".utf8))
            #expect(read.count == 1)
            let isSame = read[0].hasSameBits(as: value)
            #expect(isSame, "\(text) is read as \(read[0])")
        }
    }

    @Test func recordIsItsIDItsFieldsAndItsMetadata() throws {
        var record = try Record(
            id: Record.ID("Person/1"), fields: ["name": .string("a"), "$ref": .string("b"), "age": .int(7)])
        #expect(try Self.json(record) == #"{"fields":{"$ref":"b","age":7,"name":"a"},"id":"Person/1"}"#)
        record.metadata = Record.Metadata(
            changeTag: "t", creationDate: Date(timeIntervalSinceReferenceDate: 0),
            modificationDate: Date(timeIntervalSinceReferenceDate: 1e-9))
        let metadata =
            #"{"changeTag":"t","creationDate":{"$date":"2001-01-01T00:00:00Z"},"#
            + #""modificationDate":{"$date":"2001-01-01T00:00:00.000000001Z"}}"#
        let text = try Self.json(record)
        #expect(text == #"{"fields":{"$ref":"b","age":7,"name":"a"},"id":"Person/1","metadata":\#(metadata)}"#)
        #expect(try JSONDecoder().decode(Record.self, from: Data(text.utf8)) == record)
    }

    @Test(arguments: [
        (#"{"$date":"2001-01-01T02:00:00+02:00"}"#, Record.Value.date(Date(timeIntervalSinceReferenceDate: 0))),
        (#"{"$date":0.5}"#, .date(Date(timeIntervalSinceReferenceDate: 0.5))),
        (#"{"$double":0.5}"#, .double(0.5)), ("2.0", .int(2)), ("1e3", .int(1_000)), ("-0.5", .double(-0.5)),
        ("-0", .double(-0.0)),
        (#"{"$map":{"a":1}}"#, .map(["a": .int(1)])),
    ])
    func otherSpellingsAreRead(_ text: String, value: Record.Value) throws {
        #expect(try JSONDecoder().decode([Record.Value].self, from: Data("[\(text)]".utf8)) == [value])
    }

    @Test func fieldsAreReadInTheOrderOfTheirNames() throws {
        let text = #"{"id":"A/1","fields":{"b":1,"a":2,"C":3,"":{"z":1,"y":2}}}"#.replacing(#","":"#, with: #","d":"#)
        let record = try JSONDecoder().decode(Record.self, from: Data(text.utf8))
        #expect(record.fields.map(\.name) == ["C", "a", "b", "d"])
    }
}

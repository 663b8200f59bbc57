import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

@Suite struct FlatteningTests {
    @Test func objectsWithIdentifiersBecomeRecords() throws {
        let text = """
            {"id": "hogwarts", "name": "Hogwarts", "founded": 990, "rate": 1.0, "open": true, "motto": null,
             "head": {"id": 7, "name": "Minerva"},
             "students": [{"id": 1, "friends": []}, {"id": 2, "pets": [[{"id": "owl"}], {"kind": "cat"}]}],
             "address": {"city": "Hogsmeade", "keeper": {"id": "filch"}, "tags": {}}, "$ref": {"$ref": "A/1"}}
            """
        #expect(
            try lines(of: text) { $0.types = ["students": "Person", "head": "Person"] } == [
                #"{"id":"Person/7","fields":{"id":7,"name":"Minerva"}}"#,
                #"{"id":"Person/1","fields":{"id":1,"friends":[]}}"#,
                #"{"id":"pets/owl","fields":{"id":"owl"}}"#,
                #"{"id":"Person/2","fields":{"id":2,"pets":[[{"$ref":"pets/owl"}],{"kind":"cat"}]}}"#,
                #"{"id":"keeper/filch","fields":{"id":"filch"}}"#,
                """
                {"id":"School/hogwarts","fields":{"id":"hogwarts","name":"Hogwarts","founded":990,\
                "rate":{"$double":1.0},"open":true,"motto":null,"head":{"$ref":"Person/7"},\
                "students":[{"$ref":"Person/1"},{"$ref":"Person/2"}],\
                "address":{"city":"Hogsmeade","keeper":{"$ref":"keeper/filch"},"tags":{}},\
                "$ref":{"$map":{"$ref":"A/1"}}}}
                """,
            ])
    }

    @Test func rootsMayStandInAList() throws {
        let graph = try self.graph(of: #"[{"id":1,"next":{"id":2}},{"id":2},{"id":1,"next":{"id":2}}]"#) {
            $0.types = ["next": "School"]
        }
        #expect(graph.roots.map(\.description) == ["School/1", "School/2", "School/1"])
        #expect(graph.map(\.id.description) == ["School/2", "School/1"])
        #expect(try self.graph(of: "[]").isEmpty)
    }

    @Test func identifiersMayHaveAnotherKey() throws {
        let text = #"{"uuid":"a/b","id":3,"child":{"id":4},"friend":{"uuid":-5}}"#
        #expect(
            try lines(of: text) { $0.idKey = "uuid" } == [
                #"{"id":"friend/-5","fields":{"uuid":-5}}"#,
                """
                {"id":"School/a/b","fields":{"uuid":"a/b","id":3,"child":{"id":4},"friend":{"$ref":"friend/-5"}}}
                """,
            ])
    }

    @Test func locationsInAnotherSpellingStayStringsUnlessOneAsks() throws {
        let text = #"{"id":1,"at":"41.40;2.17"}"#
        #expect(
            try lines(of: text) { $0.locationKeys = ["at"] }
                == [#"{"id":"School/1","fields":{"id":1,"at":"41.40;2.17"}}"#])
        #expect(
            try lines(of: text) {
                $0.locationKeys = ["at"]
                $0.canonicalizesLocations = true
            } == [#"{"id":"School/1","fields":{"id":1,"at":{"$location":"41.4;2.17"}}}"#])
    }

    @Test func textsUnderLocationKeysAreLocations() throws {
        let text = #"{"id":1,"at":"1.5;-2.0","way":["0.0;0.0",["1.0;2.0"],null,3],"a":{"at":"3.0;4.0"},"b":"1.5;2.5"}"#
        #expect(
            try lines(of: text) { $0.locationKeys = ["at", "way"] } == [
                """
                {"id":"School/1","fields":{"id":1,"at":{"$location":"1.5;-2.0"},\
                "way":[{"$location":"0.0;0.0"},[{"$location":"1.0;2.0"}],null,3],\
                "a":{"at":{"$location":"3.0;4.0"}},"b":"1.5;2.5"}}
                """
            ])
    }

    @Test func ignoredKeysAreLeftOutEverywhere() throws {
        let text = #"{"id":1,"x":{"id":2},"a":{"x":1,"y":[{"x":2,"z":3}]},"b":{"id":4,"x":{}}, "":0}"#
        #expect(
            try lines(of: text) { $0.ignoredKeys = ["x", ""] } == [
                #"{"id":"b/4","fields":{"id":4}}"#,
                #"{"id":"School/1","fields":{"id":1,"a":{"y":[{"z":3}]},"b":{"$ref":"b/4"}}}"#,
            ])
        #expect(
            try lines(of: #"{"id":1,"b":{"id":2,"c":3}}"#) { $0.ignoredKeys = ["id"] } == [
                #"{"id":"b/2","fields":{"c":3}}"#, #"{"id":"School/1","fields":{"b":{"$ref":"b/2"}}}"#,
            ])
    }

    @Test func equalObjectsWithOneIDAreOneRecord() throws {
        let text = #"{"id":1,"a":{"id":9,"x":1,"y":[{}]},"b":[{"y":[{}],"id":9,"x":1}]}"#
        #expect(try graph(of: text) { $0.types = ["a": "B", "b": "B"] }.map(\.id.description) == ["B/9", "School/1"])
    }

    @Test(arguments: [
        (
            "\n{\"name\": \"x\"}",
            "line 2, column 1: found an object without a string or an integer under 'id', expected an object that has "
                + "one, or a list of such objects: name its key with --id-key"
        ),
        (
            "[{\"id\":1},\n [1]]",
            "line 2, column 2: found a list without a string or an integer under 'id', expected an object that has one, "
                + "or a list of such objects: name its key with --id-key"
        ),
        (
            "{\"id\":1.0}",
            "line 1, column 1: found an object without a string or an integer under 'id', expected an object that has "
                + "one, or a list of such objects: name its key with --id-key"
        ),
        (
            "{\"id\":1,\"a\":{\"b\":[\n{\"id\":\"\"}]}}",
            "line 2, column 7: 'b/' is not the ID of a record: the name is empty, expected another identifier"
        ),
        (
            "{\"id\":1,\"a b\":\n{\"id\":2}}",
            "line 2, column 1: 'a b/2' is not the ID of a record: the type has a character other than ASCII letters, "
                + "digits, '_' and '.', expected a type: state one with --map 'a b=Type'"
        ),
        (
            "{\"id\":1,\"a\":{\"id\":2,\n\"\": 5}}",
            "line 2, column 5: found an empty key in a/2, expected a name for the field"
        ),
        (
            "{\"id\":1,\"at\":[\"here\"]}",
            "line 1, column 15: 'here' is not a location: the form is two decimal numbers: latitude;longitude, "
                + "expected a location such as \"57.05;-5.13\""
        ),
        (
            "[{\"id\":1,\"$decimal\":2},\n{\"id\":2,\"a\":[{\"$decimal\":3}]}]",
            "line 2, column 26: there is no field for the key '$decimal': a map with only this name is read as a decimal "
                + "number, at 'a[0].$decimal' in record School/2, field 'a'"
        ),
        (
            "{\"id\":1,\"a\":{\"id\":2,\n\"$value\": 5}}",
            "line 2, column 11: there is no field for the key '$value': '$value' is reserved for records that are a single "
                + "value, at 'a.$value' in record a/2, field '$value' (School/1 .a → a/2)"
        ),
        ("{\"id\":1,}", "line 1, column 9: found '}', expected a key in quotes"),
    ])
    func faultIsPlaced(text: String, message: String) {
        expectError(message, in: text) { $0.locationKeys = ["at"] }
    }

    @Test(arguments: [
        (
            "{\"id\":1,\"a\":[{\"id\":2,\"n\":1},\n{\"id\":2,\"n\":2}]}",
            "line 2, column 1: found a/2 with another field 'n'", "line 1, column 14"
        ),
        (
            "{\"id\":1,\"x\":{\"a\":{\"id\":2}},\n\"a\":{\"id\":\"2\"}}",
            "line 2, column 5: found a/2 with another field 'id'", "line 1, column 18"
        ),
        (
            "{\"id\":1,\"n\":0,\n\"School\":{\"id\":1}}", "line 2, column 10: found School/1 with another field 'n'",
            "line 1, column 1"
        ),
        (
            "[{\"id\":1},\n{\"id\":2},\n{\"id\":1},\n{\"id\":3},\n{\"id\":1,\"n\":1}]",
            "line 5, column 1: found School/1 with another field 'n'", "line 1, column 2"
        ),
        (
            "[{\"id\":3},\n{\"id\":4,\"a\":{\"id\":5}},\n{\"id\":6,\"a\":{\"id\":5,\"b\":{\"id\":7}}},\n{\"id\":8}]",
            "line 3, column 13: found a/5 with another field 'b'", "line 2, column 13"
        ),
    ])
    func conflictNamesBothPlaces(text: String, second: String, first: String) {
        expectError("\(second) than at \(first), expected equal objects where the ID is the same", in: text) { _ in }
    }

    private func graph(of text: String, _ change: (inout Flattening) -> Void = { _ in }) throws -> RecordGraph {
        var flattening = Flattening(rootType: "School")
        change(&flattening)
        return try flattening.records(of: JSONDocument(Data(text.utf8)))
    }

    private func lines(of text: String, _ change: (inout Flattening) -> Void) throws -> [String] {
        try graph(of: text, change).map { record in
            var writer = JSONWriter()
            try writer.write(record)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    private func expectError(
        _ message: String, in text: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout Flattening) -> Void
    ) {
        let error = #expect(throws: JSONError.self, sourceLocation: sourceLocation) { try graph(of: text, change) }
        #expect(error?.description == message, sourceLocation: sourceLocation)
    }
}

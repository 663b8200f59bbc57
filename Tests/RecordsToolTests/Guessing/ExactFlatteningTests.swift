import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

/// The records of nested JSON without a guess, where types are keys.
@Suite struct ExactFlatteningTests {
    @Test func objectsWithIdentifiersBecomeRecords() throws {
        let text = """
            {"id": "hogwarts", "name": "Hogwarts", "founded": 990, "rate": 1.0, "open": true, "motto": null,
             "head": {"id": 7, "name": "Minerva"},
             "students": [{"id": 1, "friends": []}, {"id": 2, "pets": [[{"id": "owl"}], {"kind": "cat"}]}],
             "address": {"city": "Hogsmeade", "keeper": {"id": "filch"}, "tags": {}}, "$ref": {"$ref": "A/1"}}
            """
        #expect(
            try lines(of: text) { $0.types = [("students", "Person"), ("head", "Person")] } == [
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
        let text = #"[{"id":1,"next":{"id":2}},{"id":2},{"id":1,"next":{"id":2}}]"#
        #expect(try ids(of: text) { $0.types = [("next", "School")] } == ["School/2", "School/1"])
    }

    @Test func valuesWithoutIdentifiersAreOneRecord() throws {
        #expect(try ids(of: "[]") == ["Document/document"])
        #expect(try ids(of: #"{"name": "x"}"#) == ["Document/document"])
        #expect(try ids(of: #"[{"id":1.0}, {"id":1}]"#) == ["School/1", "Document/document"])
    }

    @Test func identifiersMayHaveAnotherKey() throws {
        let text = #"{"uuid":"a/b","id":3,"child":{"id":4},"friend":{"uuid":-5}}"#
        #expect(
            try lines(of: text) { $0.identifiers = [(nil, "uuid")] } == [
                #"{"id":"friend/-5","fields":{"uuid":-5}}"#,
                """
                {"id":"School/a/b","fields":{"uuid":"a/b","id":3,"child":{"id":4},"friend":{"$ref":"friend/-5"}}}
                """,
            ])
    }

    @Test func locationsInAnotherSpellingStayStringsUnlessOneAsks() throws {
        let text = #"{"id":1,"at":"41.40;2.17"}"#
        #expect(
            try lines(of: text) { $0.locations = ["at"] }
                == [#"{"id":"School/1","fields":{"id":1,"at":"41.40;2.17"}}"#])
        #expect(
            try lines(of: text, canonicalizesLocations: true) { $0.locations = ["at"] } == [
                #"{"id":"School/1","fields":{"id":1,"at":{"$location":"41.4;2.17"}}}"#
            ])
    }

    @Test func textsUnderLocationKeysAreLocations() throws {
        let text = #"{"id":1,"at":"1.5;-2.0","way":["0.0;0.0",["1.0;2.0"],null,3],"a":{"at":"3.0;4.0"},"b":"1.5;2.5"}"#
        #expect(
            try lines(of: text) { $0.locations = ["at", "way"] } == [
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
            try lines(of: text) { $0.ignored = ["x", ""] } == [
                #"{"id":"b/4","fields":{"id":4}}"#,
                #"{"id":"School/1","fields":{"id":1,"a":{"y":[{"z":3}]},"b":{"$ref":"b/4"}}}"#,
            ])
    }

    @Test func equalObjectsWithOneIDAreOneRecord() throws {
        let text = #"{"id":1,"a":{"id":9,"x":1,"y":[{}]},"b":[{"y":[{}],"id":9,"x":1}]}"#
        #expect(try ids(of: text) { $0.types = [("a", "B"), ("b", "B")] } == ["B/9", "School/1"])
    }

    @Test(arguments: [
        (
            "{\"id\":1,\"a b\":\n{\"id\":2}}",
            "line 2, column 1: 'a b/1' is not the ID of a record: the type has a character other than ASCII letters, "
                + "digits, '_' and '.', expected a type: state one with --map 'a b=Type'"
        ),
        (
            "{\"id\":1,\"at\":[\"here\"]}",
            "line 1, column 15: 'here' is not a location: the form is two decimal numbers: latitude;longitude, "
                + "expected a location such as \"57.05;-5.13\""
        ),
        ("{\"id\":1,,}", "line 1, column 9: found ',', expected a key in quotes"),
    ])
    func faultIsPlaced(text: String, message: String) {
        expectError(message, in: text) { if text.contains("here") { $0.locations = ["at"] } }
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
    ])
    func conflictNamesBothPlaces(text: String, second: String, first: String) {
        expectError(
            "\(second) than at \(first), expected equal objects where the ID is the same: name "
                + "another key with --id-key, or use --embed", in: text)
    }

    @Test func partialCopiesOfARecordAreNotAConflict() throws {
        let text = #"[{"id":1}, {"id":4,"a":{"id":5}}, {"id":6,"a":{"id":5,"b":{"id":7}}}, {"id":1,"n":1}]"#
        #expect(try ids(of: text) == ["School/4", "b/7", "a/5", "School/6", "School/1"])
    }

    private func records(
        of text: String, canonicalizesLocations: Bool = false, _ change: (inout GuessOptions) -> Void
    ) throws -> [Record] {
        var options = GuessOptions()
        (options.isExact, options.rootType) = (true, "School")
        change(&options)
        var records: [Record] = []
        try GuessedDocument(Array(text.utf8), of: "document", options)
            .forEachRecord(canonicalizesLocations: canonicalizesLocations) { records.append($0) }
        return Array(records.dropFirst())
    }

    private func ids(of text: String, _ change: (inout GuessOptions) -> Void = { _ in }) throws -> [String] {
        try records(of: text, change).map(\.id.description)
    }

    private func lines(
        of text: String, canonicalizesLocations: Bool = false, _ change: (inout GuessOptions) -> Void
    ) throws -> [String] {
        try records(of: text, canonicalizesLocations: canonicalizesLocations, change).map { record in
            var writer = JSONWriter()
            try writer.write(record)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    private func expectError(
        _ message: String, in text: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout GuessOptions) -> Void = { _ in }
    ) {
        let error = #expect(throws: InputError.self, sourceLocation: sourceLocation) { try ids(of: text, change) }
        #expect(error?.reason == message, sourceLocation: sourceLocation)
    }
}

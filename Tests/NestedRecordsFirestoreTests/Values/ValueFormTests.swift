import Foundation
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import NestedRecordsFirestore

/// The forms of values in documents.
///
/// https://firebase.google.com/docs/firestore/reference/rest/v1/Value
struct ValueFormTests {
    private func fields(_ value: Record.Value) throws -> StandInJSON {
        let record = try Record(id: Record.ID(type: "School", name: "a"), fields: ["value": value])
        let document = try DocumentEncoder.document(of: record, save: "mark", StoredForm.names())
        return try StandInJSON(document.fields.bytes)
    }

    private func form(_ value: Record.Value) throws -> String {
        String(decoding: try #require(fields(value)["value"]).bytes, as: UTF8.self)
    }

    @Test func scalarsHaveFirestoresOwnTypes() throws {
        #expect(try form(.null) == #"{"nullValue": null}"#)
        #expect(try form(true) == #"{"booleanValue": true}"#)
        #expect(try form(.int(.max)) == #"{"integerValue": "9223372036854775807"}"#)
        #expect(try form(.double(0.5)) == #"{"doubleValue": 0.5}"#)
        #expect(try form(.double(-.infinity)) == #"{"doubleValue": "-Infinity"}"#)
        #expect(try form("é") == #"{"stringValue": "é"}"#)
        #expect(try form(.bytes(Data([251, 255]))) == #"{"bytesValue": "+/8="}"#)
        #expect(
            try form(.location(Location(latitude: 57, longitude: -5)))
                == #"{"geoPointValue": {"latitude": 57, "longitude": -5}}"#)
    }

    @Test func dateIsTimestampWithMicroseconds() throws {
        let date = try #require(Date(recordString: "2014-10-02T15:01:23.045123Z"))
        #expect(try form(.date(date)) == #"{"timestampValue": "2014-10-02T15:01:23.045123Z"}"#)
        #expect(try fields(.date(date))["$nr"]?["mapValue"]?["fields"]?["exact"] == nil)
    }

    @Test func dateThatTimestampDoesNotHoldIsExactInTheShadow() throws {
        let date = Date(timeIntervalSinceReferenceDate: 726_000_000.123_456_7)
        #expect(try form(.date(date)) == #"{"timestampValue": "2024-01-03T18:40:00.123457Z"}"#)
        let shadow = try fields(.date(date))["$nr"]?["mapValue"]?["fields"]
        #expect(shadow?["exact"]?["stringValue"]?.text == #"[["value",{"date":{"doubleValue":726000000.1234567}}]]"#)
    }

    @Test func referenceIsPathOfDocumentAndListedInTheShadow() throws {
        let id = try Record.ID(type: "Pupil", name: "b")
        let value = Record.Value.reference(Record.Reference(to: id, action: .deleteSelf, isLink: true))
        #expect(
            try form(value) == #"{"referenceValue": "projects/test/databases/(default)/documents/Pupil/b"}"#)
        let shadow = try fields(value)["$nr"]?["mapValue"]?["fields"]
        #expect(
            shadow?["exact"]?["stringValue"]?.text == #"[["value",{"to":"Pupil/b","owner":true,"link":true}]]"#)
        #expect(shadow?["refs"]?["arrayValue"]?["values"]?.list?.first?["stringValue"]?.text == "Pupil/b")
    }

    @Test func referenceToNameThatFirestoreRefusesIsText() throws {
        let value = Record.Value.reference(Record.Reference(to: try Record.ID(type: "Pupil", name: "b/c")))
        #expect(try form(value) == #"{"mapValue": {"fields": {"$record": {"stringValue": "Pupil/b/c"}}}}"#)
    }

    @Test func listInListIsInMap() throws {
        #expect(
            try form([[true]])
                == #"{"arrayValue": {"values": [{"mapValue": {"fields": {"$list": {"arrayValue": {"values": "#
                + #"[{"booleanValue": true}]}}}}}]}}"#.replacing("[{", with: "[{"))
    }

    @Test func numberOfManyDigitsIsTheNearestDouble() throws {
        #expect(try form(.number(digits: "18446744073709551615")) == #"{"doubleValue": 1.8446744073709552e+19}"#)
    }

    @Test func membersThatFirestoreRefusesAreInOneBesideTheOthers() throws {
        for value: Record.Value in [
            ["b": 1, "": 2, "__a__": [.serverTimestamp]], ["$rest": 1], ["$list": 1, "$rest": .serverTimestamp],
            ["$map": ["$rest": 1]], [["": ["": 1]]],
        ] {
            let record = try Record(id: Record.ID(type: "School", name: "a"), fields: ["value": value])
            let read = try StoredForm.readBack(record)
            #expect(read.isIdentical(to: record.saved(as: try #require(read.metadata))), "\(read)")
        }
        let members = try fields(["b": 1, "": 2])["value"]?["mapValue"]?["fields"]?.members
        #expect(members?.map(\.name) == ["b", "$rest"])
    }

    @Test func moreServerTimestampsThanFirestoreSetsAreRefused() throws {
        func save(_ count: Int) throws {
            let fields = Record.Fields((0..<count).map { ("f\($0)", .serverTimestamp) })
            let record = try Record(id: Record.ID(type: "School", name: "a"), fields: fields)
            _ = try DocumentEncoder.document(of: record, save: "mark", StoredForm.names())
        }
        try save(400)
        let error = #expect(throws: RecordDatabaseError.self) { try save(401) }
        #expect(error?.reason == "Firestore sets at most 400 fields of a document to its time")
    }

    @Test func mapOfTheUserWithMarkGetsOneMoreLevel() throws {
        #expect(
            try form(["$list": 1])
                == #"{"mapValue": {"fields": {"$map": {"mapValue": {"fields": {"$list": {"integerValue": "1"}}}}}}}"#)
        for mark in Mark.allCases {
            for content: Record.Value in [1, "a", [1], [:], ["$list": [1]], ["$map": ["$map": 1]], .list([.double(1)])]
            {
                let record = try Record(
                    id: Record.ID(type: "School", name: "a"), fields: ["value": .map([mark.rawValue: content])])
                let read = try StoredForm.readBack(record)
                // A vector has the form of the user's own map, and is the same value.
                #expect(read["value"] == record["value"], "\(record)")
            }
        }
    }

    @Test func timeOfTheSaveIsReadInAMapWithMark() throws {
        for mark in Mark.allCases {
            for value: Record.Value in [.serverTimestamp, ["a": .serverTimestamp], [.serverTimestamp]] {
                let id = try Record.ID(type: "School", name: "a")
                let record = try Record(id: id, fields: ["value": .map([mark.rawValue: value])])
                let read = try StoredForm.readBack(record)
                #expect(read.isIdentical(to: record.saved(as: try #require(read.metadata))), "\(read)")
            }
        }
    }

    @Test func fieldThatFirestoreRefusesIsRefused() throws {
        for name in ["__a__", "$nr", String(repeating: "a", count: 1_501)] {
            let record = try Record(id: Record.ID(type: "School", name: "a"), fields: [name: 1])
            #expect(throws: RecordError.self) {
                try DocumentEncoder.document(of: record, save: "mark", StoredForm.names())
            }
        }
    }

    @Test func deepValuesAreKept() throws {
        var value: Record.Value = .list([.serverTimestamp, 1])
        for depth in 0..<200 {
            value = depth.isMultiple(of: 2) ? .list([value]) : .map(["a": value, "$list": 1])
            let record = try Record(id: Record.ID(type: "School", name: "a"), fields: ["value": value])
            let read = try StoredForm.readBack(record)
            #expect(read.isIdentical(to: record.saved(as: try #require(read.metadata))))
        }
    }

    @Test func fieldPathsAreQuoted() throws {
        // https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents#Document
        #expect(DocumentNames.fieldPath(["foo", "x&y"]) == "foo.`x&y`")
        #expect(DocumentNames.fieldPath(["bak`tik", "1a", "a1"]) == "`bak\\`tik`.`1a`.a1")
    }
}

import Foundation
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import NestedRecordsFirestore

/// Documents as other programs write them.
///
/// The forms are those of https://firebase.google.com/docs/firestore/reference/rest/v1/Value, and the mapping of Swift's
/// types that of https://firebase.google.com/docs/firestore/solutions/swift-codable-data-mapping: dates are timestamps, data
/// is bytes, enumerations are strings, and a missing value is left out.
struct SDKDocumentTests {
    private struct School: RecordCodable, Identifiable {
        @RecordName var id: String
        var name: String
        var founded: Date
        var badge: Data
        var isOpen: Bool
        var fee: Double
        var rooms: Int
        var motto: String?
        var tags: [String]
        var address: Address
        var place: Location

        struct Address: Codable {
            var city: String
        }
    }

    private static let school = """
        {"name": {"stringValue": "Hilltop"}, "founded": {"timestampValue": "1990-09-01T08:30:00.250Z"},
         "badge": {"bytesValue": "AAEC"}, "isOpen": {"booleanValue": false}, "fee": {"doubleValue": 12},
         "rooms": {"integerValue": "31"}, "tags": {"arrayValue": {"values": [{"stringValue": "old"}]}},
         "address": {"mapValue": {"fields": {"city": {"stringValue": "Fort"}}}},
         "place": {"geoPointValue": {"latitude": 57.05}}}
        """

    @Test func documentOfAnAppIsFetchedAsValue() async throws {
        let server = StandInServer()
        try server.put("School/hilltop", fields: Self.school)
        let store = RecordStore(try database(server))
        let school = try await store.fetch(School.self, named: "hilltop").value
        #expect(school.name == "Hilltop" && school.fee == 12 && school.rooms == 31 && school.motto == nil)
        #expect(school.founded == Date(recordString: "1990-09-01T08:30:00.250Z"))
        #expect(school.badge == Data([0, 1, 2]) && school.address.city == "Fort" && school.place.longitude == 0)
    }

    private struct Visit: RecordCodable, Identifiable, Equatable {
        enum State: String, Codable { case planned, done }

        @RecordName var id: String
        var page: URL
        var device: UUID
        var state: State
        var levels: [String: Int]
        var stars: UInt8
        var weight: Float
        var links: [URL]
        var school: RecordLink<School>
        @ExplicitNull var reviewer: String?
        var note: String?
        @ServerTimestamp var changed: Date?
    }

    /// The forms of https://firebase.google.com/docs/firestore/solutions/swift-codable-data-mapping for the same properties:
    /// a model of an app needs no other names and values.
    @Test func modelIsWrittenInTheFormOfTheSDK() async throws {
        let server = StandInServer()
        let store = RecordStore(try database(server))
        let device = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let page = try #require(URL(string: "https://example.org/a?b=%20"))
        let visit = Visit(
            id: "a", page: page, device: device, state: .done, levels: ["1": 2], stars: 5, weight: 0.5, links: [page],
            school: try RecordLink(named: "hilltop"))
        try await store.insert(visit)
        let expected = """
            {"page": {"stringValue": "https://example.org/a?b=%20"}, "state": {"stringValue": "done"},
             "device": {"stringValue": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}, "stars": {"integerValue": "5"},
             "levels": {"mapValue": {"fields": {"1": {"integerValue": "2"}}}}, "weight": {"doubleValue": 0.5},
             "links": {"arrayValue": {"values": [{"stringValue": "https://example.org/a?b=%20"}]}},
             "school": {"referenceValue": "\(server.root)/School/hilltop"}, "reviewer": {"nullValue": null}}
            """
        var written = try StandInValue.fields(server.fields("Visit/a"), depth: 0)
        written[StandInName("$nr")] = nil
        guard case .time? = written.removeValue(forKey: StandInName("changed")) else {
            Issue.record("the time of the save is no timestamp")
            return
        }
        let forms = try StandInValue.fields(try StandInJSON(Array(expected.utf8)), depth: 0)
        #expect(StandInValue.areSame(written, forms), "\(StandInValue.json(written))")
        let read = try await store.fetch(Visit.self, named: "a").value
        #expect(read.page == page && read.device == device && read.note == nil && read.changed != nil)
    }

    @Test func changeOfOneFieldKeepsTheOthersForTheApp() async throws {
        let server = StandInServer()
        try server.put("School/hilltop", fields: Self.school)
        let store = RecordStore(try database(server))
        try await store.update(School.self, named: "hilltop") { $0.rooms += 1 }
        let former = try StandInValue.fields(try StandInJSON(Array(Self.school.utf8)), depth: 0)
        for (name, value) in former where name.text != "rooms" {
            #expect(
                try StandInValue(try #require(server.fields("School/hilltop")?[name.text]), depth: 0).isSame(as: value))
        }
        #expect(server.fields("School/hilltop")?["rooms"]?["integerValue"]?.text == "32")
    }

    @Test(arguments: [
        // A document of another database and one of a collection below a document; a vector, and what may come.
        #"{"referenceValue": "projects/other/databases/(default)/documents/School/b"}"#,
        #"{"referenceValue": "projects/test/databases/(default)/documents/School/b/rooms/c"}"#,
        """
        {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"},
         "value": {"arrayValue": {"values": [{"doubleValue": 1.5}, {"doubleValue": -0.0}]}}}}}
        """,
        #"{"mapValue": {"fields": {"$list": {"stringValue": "a"}}}}"#,
        #"{"mapValue": {"fields": {"$map": {"integerValue": "1"}}}}"#,
        #"{"mapValue": {"fields": {"$reference": {"stringValue": "projects/other/databases/d/documents/A/b"}}}}"#,
        #"{"mapValue": {"fields": {"$firestore": {"stringValue": "{\"nullValue\": null}"}}}}"#,
        // A member that only this library has.
        #"{"mapValue": {"fields": {"$rest": {"stringValue": "a"}, "b": {"nullValue": null}}}}"#,
        #"{"mapValue": {"fields": {"$rest": {"bytesValue": "AAEC"}}}}"#,
        #"{"mapValue": {}}"#, #"{"arrayValue": {}}"#, #"{"doubleValue": "NaN"}"#,
        #"{"timestampValue": "0001-01-01T00:00:00Z"}"#, #"{"timestampValue": "9999-12-31T23:59:59.999999Z"}"#,
        #"{"timestampValue": "2014-10-02T15:01:23.045123Z"}"#,
        #"{"arrayValue": {"values": [{"mapValue": {"fields": {"a": {"arrayValue": {"values": [{"nullValue": null}]}}}}}]}}"#,
    ])
    func valueIsWrittenBackAsItWas(_ value: String) throws {
        let fields = #"{"value": \#(value)}"#
        let former = try StandInValue.fields(try StandInJSON(Array(fields.utf8)), depth: 0)
        let (record, written) = try StoredForm.rewritten(fields)
        #expect(StandInValue.areSame(written, former), "\(record): \(StandInValue.json(written))")
    }

    /// Firestore compares names byte by byte, and records do not.
    @Test func documentWithTwoSpellingsOfANameIsAnError() async throws {
        let server = StandInServer()
        let both = #"{"\u00e9": {"integerValue": "1"}, "e\u0301": {"integerValue": "2"}}"#
        try server.put("School/a", fields: both)
        try server.put("School/b", fields: #"{"map": {"mapValue": {"fields": \#(both)}}}"#)
        let database = try database(server)
        for name in ["a", "b"] {
            let id = try Record.ID(type: "School", name: name)
            let error = await #expect(throws: RecordError.self) { _ = try await database.records(for: [id]) }
            #expect(error?.code == .invalidResponse)
            let reason = error?.reason ?? ""
            #expect(reason.hasPrefix("the answer to batchGet has names or values that a record cannot hold, at line "))
            #expect(reason.contains("found the key '\u{E9}' again"))
        }
        // Names of documents are compared byte by byte in both.
        for name in ["\u{E9}", "e\u{301}"] {
            let other = try Record(id: Record.ID(type: "Other", name: name), fields: ["name": .string(name)])
            try await database.commit(RecordBatch(saving: [other]))
        }
        #expect(try await database.count(RecordQuery("Other")) == 2)
    }

    @Test func changeOfAnAppWinsOverTheExactValue() async throws {
        let server = StandInServer()
        let database = try database(server)
        let target = try Record.ID(type: "Pupil", name: "b")
        let owner = Record.Value.reference(Record.Reference(to: target, action: .deleteSelf))
        let exact = Date(timeIntervalSinceReferenceDate: 726_000_000.123_456_7)
        let id = try Record.ID(type: "School", name: "a")
        try await database.commit(
            RecordBatch(saving: [
                try Record(id: id, fields: ["date": .date(exact), "kept": .date(exact), "owner": owner])
            ]))
        try server.set("School/a", "date", #"{"timestampValue": "2020-01-01T00:00:00Z"}"#)
        try server.set("School/a", "owner", #"{"referenceValue": "\#(server.root)/Pupil/c"}"#)
        let record = try #require(try await database.record(for: id))
        #expect(record["date"] == Date(recordString: "2020-01-01T00:00:00Z").map { .date($0) })
        #expect(record["kept"] == .date(exact))
        #expect(record["owner"] == .reference(Record.Reference(to: try Record.ID(type: "Pupil", name: "c"))))
    }

    @Test func timestampOfSaveStaysAfterALaterChangeOfAnApp() async throws {
        let server = StandInServer()
        let database = try database(server)
        let id = try Record.ID(type: "School", name: "a")
        let saved = try await database.commit(
            RecordBatch(saving: [try Record(id: id, fields: ["time": .serverTimestamp])]))
        let native = try #require(server.fields("School/a")?["time"]?["timestampValue"]?.text)
        #expect(try await database.record(for: id)?["time"] == saved[id].map { .date($0.modificationDate) })
        server.state.withLock { $0.last += 120_000_000 }
        try server.set("School/a", "name", #"{"stringValue": "b"}"#)
        #expect(try await database.record(for: id)?["time"] == Date(recordString: native).map { .date($0) })
    }
}

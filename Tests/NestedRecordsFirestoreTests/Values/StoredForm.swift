import Foundation
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import NestedRecordsFirestore

/// Records as Firestore stores them and gives them back, by the rules of the stand-in server.
enum StoredForm {
    static func names() throws -> DocumentNames {
        try DocumentNames(project: "test", database: "(default)", below: "", collections: [:])
    }

    /// The record that is read after a save, by a server that has its own order of members and its own printer.
    static func readBack(_ record: Record) throws -> Record {
        let names = try names()
        let document = try DocumentEncoder.document(of: record, save: "mark", names)
        let fields = try StandInValue.fields(try StandInJSON(document.fields.bytes), depth: 0)
        let requestTime = StandInTime(microseconds: 1_700_000_000_123_000)
        let time = StandInTime(microseconds: 1_700_000_000_126_407)
        var stored = StandInDocument(fields: fields, created: time, updated: time)
        for path in document.timestamps { stored.set(try StandInDocument.path(path), .time(requestTime)) }
        return try read(stored.json(StandInName(names.path(of: record.id))))
    }

    static func read(_ json: StandInJSON) throws -> Record {
        try DocumentDecoder.record(JSONValue(reading: json.bytes), names()).record
    }

    /// The record of a document with some fields, and the fields that a save of the record writes, without the library's own.
    static func rewritten(_ fields: String) throws -> (record: Record, fields: [StandInName: StandInValue]) {
        let time = StandInTime(microseconds: 1_700_000_000_000_000)
        let parsed = try StandInValue.fields(try StandInJSON(Array(fields.utf8)), depth: 0)
        let document = StandInDocument(fields: parsed, created: time, updated: time)
        let record = try read(document.json(StandInName(try names().root + "/School/a")))
        let written = try DocumentEncoder.document(of: record, save: "mark", names())
        var stored = try StandInValue.fields(try StandInJSON(written.fields.bytes), depth: 0)
        stored[StandInName(Shadow.field)] = nil
        return (record, stored)
    }
}

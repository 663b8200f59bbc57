#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

struct StoredRecords: Sendable {
    static let columns = "r.type, r.name, r.tag, r.created, r.modified, r.body"
    static let columnCount = 6
    private let rows: Answer
    private let tables: Tables
    private let first: Int
    private var reader = RecordReader()

    init(_ rows: Answer, of tables: Tables, at column: Int = 0) {
        self.rows = rows
        self.tables = tables
        first = column
    }

    var count: Int { rows.count }

    var byteCount: Int { (0..<count).reduce(0) { $0 + rows.byteCount($1, first + 5) } }

    func records() throws -> [Record] {
        var stored = self
        return try (0..<count).map { try stored.record($0) }
    }

    func hasRecord(_ row: Int) -> Bool { !rows.isNull(row, first + 5) }

    func id(_ row: Int) throws -> Record.ID {
        let (type, name) = (rows.text(row, first) ?? "", rows.text(row, first + 1) ?? "")
        do {
            return try Record.ID(type: type, name: name)
        } catch {
            throw RecordDatabaseError.damagedID(type: type, name: name, in: tables, error)
        }
    }

    func place(_ row: Int) -> RecordPlace {
        RecordPlace(
            type: rows.text(row, first) ?? "", name: rows.text(row, first + 1) ?? "",
            key: rows.text(row, first + Self.columnCount))
    }

    /// Whether the column for SQL, after the others, is missing or has the fields of a record.
    func hasFields(of record: Record, _ row: Int) -> Bool {
        rows.withBytes(row, first + Self.columnCount) { $0.elementsEqual(record.fields.readableJSON) } ?? true
    }

    func metadata(_ row: Int) -> Record.Metadata {
        Record.Metadata(
            changeTag: rows.text(row, first + 2) ?? "",
            creationDate: Date(timeIntervalSinceReferenceDate: rows.double(row, first + 3) ?? 0),
            modificationDate: Date(timeIntervalSinceReferenceDate: rows.double(row, first + 4) ?? 0))
    }

    mutating func record(_ row: Int) throws -> Record {
        let id = try id(row)
        let record: Record?
        do {
            record = try rows.withBytes(row, first + 5) { try reader.record(id, from: BytesInPlace($0)) } ?? nil
        } catch {
            throw RecordDatabaseError.damaged(id, what: "no record", underlyingError: error)
        }
        guard var record else {
            throw RecordDatabaseError.damaged(id, what: "another record")
        }
        record.metadata = metadata(row)
        return record
    }
}
#endif

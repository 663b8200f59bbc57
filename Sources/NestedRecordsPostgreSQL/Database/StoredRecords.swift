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

    func records(_ fields: Set<String>? = nil) throws -> [Record] {
        var stored = self
        return try (0..<count).map { try stored.record($0, fields) }
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

    /// Whether the column after that for SQL has the audience values of a record; nil for a deleted one.
    func hasEntries(of record: Record?, _ catalog: Catalog, _ row: Int) throws -> Bool {
        let id = try id(row)
        if let audience = catalog.audiences[id.type], audience.since == nil { return true }
        let keys = try record.map { try catalog.audience(ofType: id.type)?.keys(of: $0) ?? [] } ?? []
        let texts = keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.map { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return (rows.text(row, first + Self.columnCount + 1) ?? "") == texts.joined(separator: " ")
    }

    func metadata(_ row: Int) -> Record.Metadata {
        Record.Metadata(
            changeTag: rows.text(row, first + 2) ?? "",
            creationDate: Date(timeIntervalSinceReferenceDate: rows.double(row, first + 3) ?? 0),
            modificationDate: Date(timeIntervalSinceReferenceDate: rows.double(row, first + 4) ?? 0))
    }

    mutating func record(_ row: Int, _ fields: Set<String>? = nil) throws -> Record {
        let id = try id(row)
        let record: Record?
        do {
            record =
                try rows.withBytes(row, first + 5) {
                    try reader.record(id, from: BytesInPlace($0), fields: fields)
                } ?? nil
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

#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

extension Connection {
    /// The columns that have the fields of a record whose type is known; the last one is for the statement.
    static func fieldColumns(_ last: String) -> String {
        "records.number, records.batch, records.shape, records.body, records.name, \(last)"
    }

    private static let dates = ", records.created, records.modified"

    /// The columns of a record.
    static let recordColumns = fieldColumns("records.type") + dates

    /// The columns of a record whose type is known.
    static func namedColumns(_ sixth: String) -> String { fieldColumns(sixth) + dates }

    /// The columns of a record whose ID is known.
    static let bodyColumns = "records.number, records.batch, records.shape, records.body, NULL, NULL" + dates

    static let columnCount: Int32 = 8
    static let bodyColumn: Int32 = 3
    private static let nameColumn: Int32 = 4
    static let typeColumn: Int32 = 5

    /// The record of a row; nil without a body.
    func record(in row: Row, at column: Int32, fields: Set<String>? = nil) throws -> Record? {
        guard let type = try storedType(row.int(column + Self.typeColumn)), type.isValid else {
            throw try damaged(row, at: column, nil, what: "its type")
        }
        return try record(in: row, at: column, ofType: type, fields: fields)
    }

    /// The record of a row, which has ``namedColumns(_:)``; nil without a body.
    func record(
        in row: Row, at column: Int32, ofType type: StoredTerms.StoredType, fields: Set<String>? = nil
    ) throws -> Record? {
        guard let body = row.bytes(column + Self.bodyColumn) else { return nil }
        let name = try name(of: row, at: column)
        let parts = try parts(of: row, at: column, nil, name, body, hash: XXH64.hash(name, seed: type.hash))
        do throws(RecordFormatError) {
            let id = try RecordReader.id(checkedType: type.name, name: name)
            return try reader.record(id, parts.version.metadata(tagStart: latestTagStart), parts, fields: fields)
        } catch {
            throw try damaged(row, at: column, nil, error)
        }
    }

    /// The record of a row, which has only ``bodyColumns``; nil without a body.
    ///
    /// - Parameter id: The ID, whose strings the record shares.
    func record(_ id: Record.ID, in row: Row, at column: Int32) throws -> Record? {
        guard let body = row.bytes(column + Self.bodyColumn) else { return nil }
        let hash = XXH64.hash(utf8Of: id.name, seed: typeHash(of: id.type))
        let parts = try parts(of: row, at: column, id, BytesInPlace(), body, hash: hash)
        do throws(RecordFormatError) {
            return try reader.record(id, parts.version.metadata(tagStart: latestTagStart), parts)
        } catch {
            throw try damaged(row, at: column, id, error)
        }
    }

    /// Calls the closure with the parts of the record in a row, which are valid until the next row; returns nil for a row
    /// without a body.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The first column of the record.
    ///   - typeHash: The hash of the type that the record must have.
    ///   - hasDates: Whether the row has the dates.
    ///   - body: The closure.
    func withParts<Result>(
        of row: Row, at column: Int32, typeHash: UInt64, hasDates: Bool = true,
        _ body: (RecordParts) throws -> Result
    ) throws -> Result? {
        guard let bytes = row.bytes(column + Self.bodyColumn) else { return nil }
        let name = try name(of: row, at: column)
        let hash = XXH64.hash(name, seed: typeHash)
        let parts = try parts(of: row, at: column, nil, name, bytes, hash: hash, hasDates: hasDates)
        do {
            return try body(parts)
        } catch let error as RecordFormatError {
            // The reader of the whole record finds the field.
            _ = try record(inRow: row.int(column))
            throw try damaged(row, at: column, nil, error)
        }
    }

    private func name(of row: Row, at column: Int32) throws -> BytesInPlace {
        guard let name = row.textBytes(column + Self.nameColumn) else {
            throw try damaged(row, at: column, nil, what: "its name")
        }
        return name
    }

    /// - Parameter hash: The hash of the ID.
    private func parts(
        of row: Row, at column: Int32, _ id: Record.ID?, _ name: BytesInPlace, _ body: BytesInPlace, hash: UInt64,
        hasDates: Bool = true
    ) throws -> RecordParts {
        let number = row.int(column)
        guard let batch = try storedBatch(row.int(column + 1)) else {
            throw try damaged(row, at: column, id, what: "its batch is missing")
        }
        guard let (content, checksum) = body.withoutLastNumber else { throw try damaged(row, at: column, id) }
        let version = RecordParts.Version(
            batch: row.int(column + 1), mark: batch.mark, row: number,
            creation: hasDates ? row.doubleIfPresent(column + 6) ?? batch.date : batch.date,
            modification: hasDates ? row.doubleIfPresent(column + 7) ?? batch.date : batch.date)
        if row.isNull(column + 2) {
            guard checksum == Self.checksum(of: content, id: hash, row: number, mark: batch.mark, names: 0) else {
                throw try damaged(row, at: column, id)
            }
            do throws(RecordFormatError) {
                var cursor = ByteCursor(content)
                let names = try NameBlock(cursor.slice(cursor.length()))
                let values = content.part(cursor.offset..<content.count)
                return RecordParts(name: name, version: version, names: names, values: values)
            } catch {
                throw try damaged(row, at: column, id, error)
            }
        }
        guard let shape = try storedShape(row.int(column + 2)) else {
            throw try damaged(row, at: column, id, what: "the names of its fields are missing")
        }
        guard checksum == Self.checksum(of: content, id: hash, row: number, mark: batch.mark, names: shape.hash)
        else { throw try damaged(row, at: column, id) }
        return RecordParts(name: name, version: version, names: shape.names, values: content)
    }

    /// The last bytes of a body: they show that it is that of its ID, its row, the names of its fields, and the batch that
    /// saved it.
    ///
    /// - Parameters:
    ///   - content: The body before the checksum.
    ///   - id: The hash of the ID.
    ///   - row: The number of the row.
    ///   - mark: The mark of the batch.
    ///   - names: The hash of the names; 0 if they are in the content.
    static func checksum(of content: BytesInPlace, id: UInt64, row: Int64, mark: Int64, names: UInt64) -> UInt32 {
        let seed = id &+ UInt64(bitPattern: mark &+ row) &+ names
        return UInt32(truncatingIfNeeded: XXH64.hash(content, seed: seed))
    }

    func damaged(
        _ row: Row, at column: Int32, _ id: Record.ID?, _ error: RecordFormatError? = nil,
        what: String = "the bytes of a record"
    ) throws -> RecordDatabaseError {
        let number = row.int(column)
        return RecordDatabaseError.corrupt(
            path: path, record: try id ?? storedID(inRow: number), row: number, what: what, underlyingError: error)
    }

    func storedID(inRow number: Int64) throws -> Record.ID {
        let sql = "SELECT type, name FROM records WHERE number = ?1"
        guard let id = try first(sql, .int(number), body: { try storedID($0, at: 0, number: number) }) else {
            throw missingRecord
        }
        return id
    }

    /// The ID of a row, whose columns are the type and the name.
    ///
    /// A value that is not text in UTF-8 would not be found by its text.
    func storedID(_ row: Row, at column: Int32, number: Int64) throws -> Record.ID {
        guard let type = try storedType(row.int(column))?.name, let name = row.textBytes(column + 1)?.string else {
            throw RecordDatabaseError.corrupt(path: path, row: number, what: "the ID of a record is not text")
        }
        do {
            return try Record.ID(type: type, name: name)
        } catch {
            throw RecordDatabaseError.corrupt(
                path: path, row: number, what: "the ID of a record", underlyingError: error)
        }
    }
}

extension Row {
    func doubleIfPresent(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
}
#endif

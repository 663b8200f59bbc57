#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

extension Connection {
    /// The columns that make a record.
    static let recordColumns = """
        records.number, records.type, records.name, records.batch, records.created, records.modified, records.shape,
        records.body
        """

    /// Calls the closure with the binary form of a record, put together from its columns; returns nil for a row without a
    /// body.
    func withForm<Result>(of row: Row, at column: Int32, _ body: (BytesInPlace) throws -> Result) throws -> Result? {
        guard let values = row.bytes(column + 7) else { return nil }
        let end = values.count - MemoryLayout<UInt32>.size
        guard let checksum = values.number(UInt32.self, at: end) else { throw try damaged(row, at: column) }
        // Taken, because the closure may read other records.
        var form = GrowingBytes(capacity: 0)
        swap(&form, &spareForm)
        defer { swap(&form, &spareForm) }
        form.truncate(to: 0)
        let (idEnd, start, mark) = try append(row, at: column, to: &form)
        form.append(contentsOf: values.part(0..<end))
        do {
            return try form.withBytes { (bytes: BytesInPlace) throws -> Result in
                let found = Self.checksum(
                    ofID: bytes.part(0..<idEnd), inRow: row.int(column), mark: mark, bytes.part(start..<bytes.count))
                guard found == checksum else { throw try damaged(row, at: column) }
                return try body(bytes)
            }
        } catch let error as RecordFormatError {
            throw try damaged(row, at: column, error)
        }
    }

    /// Appends all but the values.
    private func append(
        _ row: Row, at column: Int32, to form: inout GrowingBytes
    ) throws -> (idEnd: Int, start: Int, mark: Int64) {
        let number = row.int(column)
        guard let type = try storedType(row.int(column + 1)), let name = row.textBytes(column + 2), name.count <= 255
        else {
            _ = try storedID(row, at: column + 1, number: number)
            throw RecordDatabaseError.corrupt(path: path, row: number, what: "the ID of a record")
        }
        form.append(byte: BinaryFormat.version)
        type.form.withBytesInPlace { form.append(contentsOf: $0) }
        form.append(byte: UInt8(truncatingIfNeeded: name.count))
        form.append(contentsOf: name)
        let idEnd = form.count
        guard let batch = try storedBatch(row.int(column + 3)) else {
            throw try damaged(row, at: column, what: "its batch is missing")
        }
        form.append(byte: 1)
        form.append(byte: UInt8(truncatingIfNeeded: batch.tagStart.count + UInt64(bitPattern: number).base36Count))
        batch.tagStart.withBytesInPlace { form.append(contentsOf: $0) }
        form.append(base36: UInt64(bitPattern: number))
        form.append(row.dateIfPresent(column + 4) ?? batch.date)
        form.append(row.dateIfPresent(column + 5) ?? batch.date)
        let place = (idEnd, form.count, batch.mark)
        if row.isNull(column + 6) { return place }
        guard let shape = try storedShape(row.int(column + 6)) else {
            throw try damaged(row, at: column, what: "the names of its fields are missing")
        }
        shape.withBytesInPlace { form.append(contentsOf: $0) }
        return place
    }

    /// The last bytes of a body: they show that it is that of its row, and of the batch that saved it.
    static func checksum(ofID id: BytesInPlace, inRow row: Int64, mark: Int64, _ fields: BytesInPlace) -> UInt32 {
        let seed = XXH64.hash(id, seed: UInt64(bitPattern: mark &+ row))
        return UInt32(truncatingIfNeeded: XXH64.hash(fields, seed: seed))
    }

    func damaged(
        _ row: Row, at column: Int32, _ error: RecordFormatError? = nil, what: String = "the bytes of a record"
    ) throws -> RecordDatabaseError {
        let number = row.int(column)
        let id = try storedID(row, at: column + 1, number: number)
        return RecordDatabaseError.corrupt(path: path, record: id, row: number, what: what, underlyingError: error)
    }

    /// The record of a row; nil if it has no body.
    func record(in row: Row, at column: Int32) throws -> Record? {
        try withForm(of: row, at: column) { try reader.record(from: $0) }
    }

    /// The type and the name of a row.
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
    /// Not a number is stored as null.
    func date(_ column: Int32) -> Date { dateIfPresent(column) ?? Date(timeIntervalSinceReferenceDate: .nan) }

    func dateIfPresent(_ column: Int32) -> Date? {
        isNull(column) ? nil : Date(timeIntervalSinceReferenceDate: double(column))
    }
}

extension UInt64 {
    fileprivate var base36Count: Int {
        var (count, rest) = (1, self / 36)
        while rest > 0 { (count, rest) = (count + 1, rest / 36) }
        return count
    }
}

extension GrowingBytes {
    fileprivate mutating func append(_ date: Date) { append(word: date.timeIntervalSinceReferenceDate.bitPattern) }

    /// Appends a number as `String(number, radix: 36)` writes it.
    fileprivate mutating func append(base36 number: UInt64) {
        if number >= 36 { append(base36: number / 36) }
        let digit = UInt8(truncatingIfNeeded: number % 36)
        append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}
#endif

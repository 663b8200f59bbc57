#if SQLite
@_spi(Engines) import NestedRecords

extension Connection {
    func record(
        _ id: Record.ID, inRow number: Int64, from bytes: BytesInPlace
    ) throws(RecordDatabaseError) -> Record {
        do {
            if let record = try reader.record(id, from: bytes) { return record }
        } catch {
            throw damaged(id, inRow: number, error)
        }
        throw damaged(id, inRow: number, nil)
    }

    /// A record without its fields.
    private func stub(
        _ id: Record.ID, inRow number: Int64, from bytes: BytesInPlace
    ) throws(RecordDatabaseError) -> Record {
        do {
            if try RecordReader.hasID(id, in: bytes) {
                return Record(id: id, checkedFields: [:], metadata: try RecordReader.metadata(of: bytes))
            }
        } catch {
            throw damaged(id, inRow: number, error)
        }
        throw damaged(id, inRow: number, nil)
    }

    func damaged(_ id: Record.ID, inRow number: Int64, _ error: RecordFormatError?) -> RecordDatabaseError {
        RecordDatabaseError.corrupt(
            path: path, record: id, row: number,
            what: error == nil ? "its row has another record" : "the bytes of a record", underlyingError: error)
    }

    /// A value that is not text in UTF-8 would not be found by its text.
    func storedID(_ row: Row, at column: Int32, number: Int64) throws(RecordDatabaseError) -> Record.ID {
        guard let type = row.textBytes(column)?.string, let name = row.textBytes(column + 1)?.string else {
            throw RecordDatabaseError.corrupt(path: path, row: number, what: "the ID of a record is not text")
        }
        do {
            return try Record.ID(type: type, name: name)
        } catch {
            throw RecordDatabaseError.corrupt(
                path: path, row: number, what: "the ID of a record", underlyingError: error)
        }
    }

    func records(for ids: [Record.ID]) throws -> [Record] {
        var found = [Record?](repeating: nil, count: ids.count)
        try forEachRow(of: ids) { found[$0] = try $1.record.get() }
        return found.compactMap(\.self)
    }

    /// The row of a record; nil instead of the record if it was deleted.
    struct StoredRow {
        let number: Int64
        let record: Result<Record?, RecordDatabaseError>

        var isDeleted: Bool { if case .success(nil) = record { true } else { false } }

        var isDamaged: Bool { if case .failure = record { true } else { false } }
    }

    private static var soughtCount: Int { 1_000 }

    /// Calls the closure with the rows of records, and the positions of their IDs.
    ///
    /// One statement searches for many names of a type: it takes half as long as a statement for each.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - readsFields: Whether the fields are read, and not only the metadata.
    ///   - body: The closure.
    func forEachRow(
        of ids: [Record.ID], readsFields: Bool = true, _ body: (_ position: Int, StoredRow) throws -> Void
    ) throws {
        if ids.count == 1 {
            let sql = "SELECT 0, number, body FROM records WHERE type = ?1 AND name = ?2"
            try forEachRow(sql, [.text(ids[0].type), .text(ids[0].name)]) { row in
                try body(0, storedRow(of: ids[0], row, readsFields))
                return true
            }
            return
        }
        for (type, positions) in Dictionary(grouping: ids.indices, by: { ids[$0].type }) {
            for start in stride(from: 0, to: positions.count, by: Self.soughtCount) {
                let positions = positions[start..<min(start + Self.soughtCount, positions.count)]
                let names = positions.lazy.map { ids[$0].name }.json
                try forEachRow(QueryStatement.byNames, [.utf8(names), .text(type)]) { row in
                    try checkCancellation()
                    let position = positions[start + Int(row.int(0))]
                    try body(position, storedRow(of: ids[position], row, readsFields))
                    return true
                }
            }
        }
    }

    private func storedRow(of id: Record.ID, _ row: Row, _ readsFields: Bool) -> StoredRow {
        let number = row.int(1)
        do throws(RecordDatabaseError) {
            guard let bytes = row.bytes(2) else { return StoredRow(number: number, record: .success(nil)) }
            let record = try readsFields ? record(id, inRow: number, from: bytes) : stub(id, inRow: number, from: bytes)
            return StoredRow(number: number, record: .success(record))
        } catch {
            return StoredRow(number: number, record: .failure(error))
        }
    }

    func record(inRow number: Int64) throws -> Record? {
        try first("SELECT body, type, name FROM records WHERE number = ?1", .int(number)) { row in
            try row.bytes(0).map { try record(try storedID(row, at: 1, number: number), inRow: number, from: $0) }
        } ?? nil
    }

    func lastBatch() throws -> (number: Int64, mark: Int64) {
        guard
            let last = try first(
                "SELECT number, mark FROM batches ORDER BY number DESC LIMIT 1", body: { ($0.int(0), $0.int(1)) })
        else { throw RecordDatabaseError.corrupt(path: path, what: "there is no batch") }
        return (try plausible(last.0, "the number of a batch"), last.1)
    }

    /// Refuses a number that cannot result from counting up from zero.
    func plausible(_ number: Int64, _ what: String) throws -> Int64 {
        guard 0..<Int64.max / 2 ~= number else {
            throw RecordDatabaseError.corrupt(path: path, what: "\(what) is \(number)")
        }
        return number
    }

    func deletionCount() throws -> Int64 {
        try plausible(
            try first("SELECT deletion_count FROM state") { $0.int(0) } ?? -1, "the number of deleted records")
    }

    func storeID() throws -> String {
        guard let store = try first("SELECT store FROM state", body: { $0.text(0) }) else {
            throw RecordDatabaseError.corrupt(path: path, what: "the table of the state is empty")
        }
        return store
    }
}

extension Collection<String> {
    /// The names or IDs of records as a JSON array.
    var json: [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "[")]
        text.reserveCapacity(count * 24)
        for element in self {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "\""))
            for byte in element.utf8 {
                // Names have no control characters.
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
            text.append(UInt8(ascii: "\""))
        }
        text.append(UInt8(ascii: "]"))
        return text
    }
}

// MARK: Lists

extension Connection {
    /// The number of records read at a time; and the number of bytes, unless one record is longer.
    private static let listedCount = 500
    private static let listedBytes = 1 << 20

    /// The records after one in the order of their IDs, as many as are read at a time; none after the last one.
    func listedRecords(ofType type: String?, after place: Record.ID?) throws -> [Record] {
        var found: [Record] = []
        var size = 0
        let sql = """
            SELECT number, type, name, body FROM records WHERE (type, name) > (?1, ?2) AND body IS NOT NULL
            ORDER BY type, name LIMIT \(Self.listedCount)
            """
        let sqlOfType = """
            SELECT number, type, name, body FROM records WHERE type = ?1 AND name > ?2 AND body IS NOT NULL
            ORDER BY name LIMIT \(Self.listedCount)
            """
        let start: [Statement.Value] = [.text(type ?? place?.type ?? ""), .text(place?.name ?? "")]
        try forEachRow(type == nil ? sql : sqlOfType, start) { row in
            guard let bytes = row.bytes(3) else { return true }
            // The ID in the body is not trusted: a row with another record would make the list go back, forever.
            let number = row.int(0)
            found.append(try record(try storedID(row, at: 1, number: number), inRow: number, from: bytes))
            size += bytes.count
            return size < Self.listedBytes
        }
        return found
    }
}
#endif

#if SQLite
@_spi(Engines) import NestedRecords

extension Connection {
    func records(for ids: [Record.ID]) throws -> [Record] {
        var found = [Record?](repeating: nil, count: ids.count)
        try forEachRow(of: ids) { found[$0] = try $1.record.get() }
        return found.compactMap(\.self)
    }

    /// The row of an ID.
    struct StoredRow {
        let number: Int64

        /// The batch that changed it last; nil for the missing target of a reference.
        let batch: Int64?

        /// The record; nil if there is none, or no longer.
        let record: Result<Record?, RecordDatabaseError>

        var isDeleted: Bool { batch != nil && isEmpty }

        var isEmpty: Bool { if case .success(nil) = record { true } else { false } }

        var isDamaged: Bool { if case .failure = record { true } else { false } }
    }

    private static var soughtCount: Int { 1_000 }

    /// Calls the closure with the rows of IDs, and the positions of the IDs.
    func forEachRow(of ids: [Record.ID], _ body: (_ position: Int, StoredRow) throws -> Void) throws {
        try forEachRow(of: ids, (QueryStatement.byName, QueryStatement.byNames)) { position, row in
            try body(position, try storedRow(row, of: ids[position]))
        }
    }

    /// Calls the closure with the rows of IDs, whose first column is not the closure's, and the positions of the IDs.
    ///
    /// One statement searches for many names of a type: it takes half as long as a statement for each.
    func forEachRow(
        of ids: [Record.ID], _ sql: (one: String, many: String), _ body: (_ position: Int, Row) throws -> Void
    ) throws {
        if ids.count == 1 {
            guard let type = try typeNumber(ids[0].type) else { return }
            try forEachRow(sql.one, [.int(type), .text(ids[0].name)]) { row in
                try body(0, row)
                return true
            }
            return
        }
        for (type, positions) in Dictionary(grouping: ids.indices, by: { ids[$0].type }) {
            guard let type = try typeNumber(type) else { continue }
            for start in stride(from: 0, to: positions.count, by: Self.soughtCount) {
                let positions = positions[start..<min(start + Self.soughtCount, positions.count)]
                let names = positions.lazy.map { ids[$0].name }.json
                try forEachRow(sql.many, [.utf8(names), .int(type)]) { row in
                    try checkCancellation()
                    try body(positions[start + Int(row.int(0))], row)
                    return true
                }
            }
        }
    }

    private func storedRow(_ row: Row, of id: Record.ID) throws -> StoredRow {
        let (number, batch) = (row.int(1), row.isNull(2) ? nil : row.int(2))
        do {
            return StoredRow(number: number, batch: batch, record: .success(try record(id, in: row, at: 1)))
        } catch let error as RecordDatabaseError where error.code == .corrupt {
            return StoredRow(number: number, batch: batch, record: .failure(error))
        }
    }

    func record(inRow number: Int64, fields: Set<String>? = nil) throws -> Record? {
        try first("SELECT \(Self.recordColumns) FROM records WHERE number = ?1", .int(number)) { row in
            try record(in: row, at: 0, fields: fields)
        } ?? nil
    }

    /// The records of a page; if the query limits their size, those up to one that does not fit.
    func records(inRows numbers: [UInt64], for query: RecordQuery) throws -> [Record] {
        var (found, bytes, fields) = ([Record](), PageBytes(query), query.readFields)
        for number in numbers {
            guard let record = try record(inRow: Int64(bitPattern: number), fields: fields) else { continue }
            found.append(record)
            if !bytes.add(record) { break }
        }
        return found
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
        if let type { return try listedRecords(ofType: typeNumber(type) ?? 0, after: place?.name ?? "") }
        var types: [(number: Int64, name: String)] = []
        try forEachRow("SELECT number, name FROM types WHERE name >= ?1 ORDER BY name", [.text(place?.type ?? "")]) {
            types.append(($0.int(0), $0.text(1)))
            return true
        }
        for type in types {
            let start = type.name == place?.type ? place?.name : nil
            let found = try listedRecords(ofType: type.number, after: start ?? "")
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The IDs and change tags of records of a type after a name, without reading a body.
    func versions(ofType type: String, after name: String, limit: Int) throws -> [RecordBatch.VersionedID] {
        guard let number = try typeNumber(type) else { return [] }
        var found: [RecordBatch.VersionedID] = []
        let sql = """
            SELECT number, batch, name FROM records WHERE type = ?1 AND name > ?2 AND body IS NOT NULL
            ORDER BY name LIMIT ?3
            """
        try forEachRow(sql, [.int(number), .text(name), .int(Int64(limit))]) { row in
            try checkCancellation()
            guard let batch = try storedBatch(row.int(1)) else {
                throw RecordDatabaseError.corrupt(path: path, what: "the batch of a record")
            }
            let tag = RecordParts.Version.changeTag(batch.tagStart, inRow: row.int(0))
            found.append(
                RecordBatch.VersionedID(try Record.ID(type: type, name: row.text(2)), version: .changeTag(tag)))
            return true
        }
        return found
    }

    private func listedRecords(ofType type: Int64, after name: String) throws -> [Record] {
        var found: [Record] = []
        var size = 0
        let sql = """
            SELECT \(Self.recordColumns) FROM records WHERE type = ?1 AND name > ?2 AND body IS NOT NULL
            ORDER BY name LIMIT \(Self.listedCount)
            """
        try forEachRow(sql, [.int(type), .text(name)]) { row in
            size += row.byteCount(Self.bodyColumn)
            if let record = try record(in: row, at: 0) { found.append(record) }
            return size < Self.listedBytes
        }
        return found
    }
}
#endif

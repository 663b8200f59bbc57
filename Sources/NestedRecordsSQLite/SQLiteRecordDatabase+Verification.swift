#if SQLite
@_spi(Engines) public import NestedRecords

extension SQLiteRecordDatabase: TypeCountingRecordDatabase {
    /// Checks everything in the file: SQLite's own check, every record, and whether the indexes agree with the records.
    ///
    /// - Returns: The damage, as errors of the code `corrupt`; none if the file is undamaged.
    /// - Throws: `RecordDatabaseError` if the file cannot be read, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes of the file.
    public func verify() async throws -> [RecordDatabaseError] { try await read { try $0.problems() } }

    /// The number of records of each type.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* records.
    public func recordCounts() async throws -> [String: Int] {
        try await read { connection in
            var counts: [String: Int] = [:]
            let sql = "SELECT type, count(*) FROM records WHERE body IS NOT NULL GROUP BY type"
            try connection.forEachRow(sql) { row in
                counts[row.text(0)] = Int(row.int(1))
                return true
            }
            return counts
        }
    }
}

extension Connection {
    fileprivate func problems() throws -> [RecordDatabaseError] {
        var found: [RecordDatabaseError] = []
        func report(_ what: String, _ record: Record.ID? = nil) {
            found.append(.corrupt(path: path, record: record, what: what))
        }
        try forEachRow("PRAGMA integrity_check") { row in
            if row.text(0) != "ok" { report(row.text(0)) }
            return true
        }
        let list = try indexList()
        var counts = (entries: Int64(0), references: Int64(0))
        let fields = try hasFieldsColumn() ? "fields" : "NULL"
        try forEachRow("SELECT number, type, name, body, \(fields) FROM records ORDER BY number") { row in
            try checkCancellation()
            let number = row.int(0)
            do {
                let id = try storedID(row, at: 1, number: number)
                // The row of a deleted record has only its ID.
                guard let bytes = row.bytes(3) else { return true }
                let record = try record(id, inRow: number, from: bytes)
                // Null until it is filled in, and from processes that do not write it.
                if let json = row.bytes(4), !json.elementsEqual(record.fields.readableJSON) {
                    found.append(differingFields(of: id, inRow: number))
                }
                for what in try missingKeys(of: record, at: number, list, &counts) { report(what, id) }
            } catch let error as RecordDatabaseError where error.code == .corrupt && error.hint != nil {
                found.append(error)
            }
            return true
        }
        if !found.isEmpty { return found }
        for (table, count) in [("entries", counts.entries), ("record_references", counts.references)] {
            let stored = try first("SELECT count(*) FROM \(table)") { $0.int(0) } ?? 0
            if stored != count { report("\(table) has \(stored) rows instead of \(count)") }
        }
        let deletionCount = try first("SELECT count(*) FROM records WHERE body IS NULL") { $0.int(0) } ?? 0
        if try self.deletionCount() != deletionCount { report("the number of deleted records is wrong") }
        return found
    }

    private func differingFields(of id: Record.ID, inRow number: Int64) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "the column fields is not that of the body", recordID: id, path: path,
            hint: "execute UPDATE records SET fields = NULL WHERE number = \(number); the next process writes it again")
    }

    private func missingKeys(
        of record: Record, at row: Int64, _ list: IndexList, _ counts: inout (entries: Int64, references: Int64)
    ) throws -> [String] {
        var missing: [String] = []
        for (index, number) in list.numbers where index.recordType == record.id.type {
            counts.entries += 1
            let isThere = try first(
                "SELECT 1 FROM entries WHERE field_index = ?1 AND key = ?2 AND name = ?3 AND record = ?4",
                .int(number), .text(index.key(of: record).text), .text(record.id.name), .int(row),
                body: { _ in true })
            if isThere == nil { missing.append("it is not in the index \(index)") }
        }
        for (target, owns) in record.targets {
            counts.references += 1
            let isOwned = try first(
                "SELECT owns FROM record_references WHERE target = ?1 AND record = ?2", .text(target.description),
                .int(row), body: { $0.int(0) != 0 })
            if isOwned != owns { missing.append("its reference to \(target) is not in the index of references") }
        }
        return missing
    }
}
#endif

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
    /// - Complexity: O(*n*) for *n* types.
    public func recordCounts() async throws -> [String: Int] {
        try await read { connection in
            var counts: [String: Int] = [:]
            let sql = "SELECT name, count FROM types WHERE count > 0"
            try connection.forEachRow(sql) { row in
                counts[row.text(0)] = Int(row.int(1))
                return true
            }
            return counts
        }
    }
}

/// The number of rows that the records should have in the indexes.
private struct KeyCounts {
    var entries: Int64 = 0
    var references: Int64 = 0
    var audiences: Int64 = 0
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
        var counts = KeyCounts()
        var recordCounts: [Int64: Int64] = [:]
        try forEachRow("SELECT \(Self.recordColumns), fields FROM records ORDER BY number") { row in
            try checkCancellation()
            let number = row.int(0)
            do {
                let id = try storedID(inRow: number)
                guard let record = try record(in: row, at: 0) else { return true }
                recordCounts[row.int(Self.typeColumn), default: 0] += 1
                // Null until it is filled in, and from processes that do not write it.
                if let json = row.bytes(Self.columnCount), !json.elementsEqual(record.fields.readableJSON) {
                    found.append(differingFields(of: id, inRow: number))
                }
                for what in try missingKeys(of: record, at: number, list, &counts) { report(what, id) }
            } catch let error as RecordDatabaseError where error.code == .corrupt && error.hint != nil {
                found.append(error)
            }
            return true
        }
        if !found.isEmpty { return found }
        for (table, count) in [
            ("entries", counts.entries), ("record_references", counts.references),
            ("audience_entries", counts.audiences),
        ] {
            let stored = try first("SELECT count(*) FROM \(table)") { $0.int(0) } ?? 0
            if stored != count { report("\(table) has \(stored) rows instead of \(count)") }
        }
        try forEachRow("SELECT number, count, name FROM types") { row in
            let count = recordCounts[row.int(0)] ?? 0
            if row.int(1) != count { report("the counter of the type \(row.text(2)) is \(row.int(1)), not \(count)") }
            return true
        }
        let deletions = "SELECT count(*) FROM records WHERE body IS NULL AND batch IS NOT NULL"
        let deletionCount = try first(deletions) { $0.int(0) } ?? 0
        if try self.deletionCount() != deletionCount { report("the number of deleted records is wrong") }
        for what in try departureProblems() { report(what) }
        return found
    }

    private func differingFields(of id: Record.ID, inRow number: Int64) -> RecordDatabaseError {
        RecordDatabaseError(
            .corrupt, reason: "the column fields is not that of the body", recordID: id, path: path,
            hint: "execute UPDATE records SET fields = NULL WHERE number = \(number); the next process writes it again")
    }

    private func missingKeys(
        of record: Record, at row: Int64, _ list: IndexList, _ counts: inout KeyCounts
    ) throws -> [String] {
        var missing: [String] = []
        for (index, number) in list.numbers where index.recordType == record.id.type {
            counts.entries += 1
            let isThere = try first(
                "SELECT 1 FROM entries WHERE field_index = ?1 AND key = ?2 AND name = ?3 AND record = ?4",
                .int(number), .bytes(index.key(of: record).bytes), .text(record.id.name), .int(row),
                body: { _ in true })
            if isThere == nil { missing.append("it is not in the index \(index)") }
        }
        for key in list.audiences[record.id.type]?.keys(of: record) ?? [] {
            counts.audiences += 1
            if try !hasAudienceEntry(key, at: row) { missing.append("it is not in the index of audiences") }
        }
        for reference in ReferenceRow.rows(of: record) {
            counts.references += 1
            let isThere = try first(
                """
                SELECT 1 FROM record_references WHERE record = ?1 AND position = ?2 AND element IS ?3
                AND target = (SELECT records.number FROM records JOIN types ON types.number = type
                    WHERE types.name = ?4 AND records.name = ?5)
                AND path = (SELECT number FROM paths WHERE kind = ?6 AND text = ?7)
                """, .int(row), .int(reference.position), reference.element.map { .int($0) } ?? .null,
                .text(reference.target.type), .text(reference.target.name), .int(reference.kind), .text(reference.path)
            ) { _ in true }
            if isThere != nil { continue }
            missing.append("its reference to \(reference.target) is not in the index of references")
        }
        return missing
    }
}
#endif

#if PostgreSQL
@_spi(Engines) public import NestedRecords

extension PostgreSQLRecordDatabase: TypeCountingRecordDatabase {
    /// Reads every row, including those of deleted records.
    ///
    /// The keys of the declared indexes are compared with the records. The server checks its own indexes itself
    /// (`pg_amcheck`), and rows that it cannot read: the first one ends the verification with the server's error.
    ///
    /// - Returns: An error for each damaged row, in the order of their IDs; none if all are undamaged.
    /// - Throws: `RecordDatabaseError` if the rows cannot be read, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes of the records.
    public func verify() async throws -> [RecordDatabaseError] {
        var found: [RecordDatabaseError] = []
        let catalog = try await readCatalog()
        var missing: [RecordDatabaseError] = []
        var pages = RecordPages(of: self, .rows)
        let slots = catalog.readySlots
        while var rows = try await pages.nextRows() {
            var keys: [(record: Record, keys: String?)] = []
            for row in 0..<rows.count {
                do {
                    if !rows.hasRecord(row) {
                        if try rows.hasEntries(of: nil, catalog, row) { continue }
                        missing.append(.differingEntries(of: try rows.id(row)))
                        continue
                    }
                    let record = try rows.record(row)
                    keys.append((record, catalog.keys(of: record)))
                    if !rows.hasFields(of: record, row) {
                        found.append(.differingFields(of: record.id, in: tables))
                    }
                    if try !rows.hasEntries(of: record, catalog, row) {
                        missing.append(.differingEntries(of: record.id))
                    }
                } catch let failure as RecordDatabaseError where failure.code == .corrupt {
                    found.append(failure)
                }
            }
            if slots.isEmpty { continue }
            let differing = try await read(tables.differingKeys(slots: slots, keys))
            for row in 0..<differing.count {
                found.append(.differingKeys(of: try StoredRecords(differing, of: tables).id(row), in: tables))
            }
        }
        if let count = try await read(tables.strayEntries).integer(0, 0), count > 0 {
            missing.append(RecordDatabaseError(.corrupt, reason: "audiences have \(count) entries without records"))
        }
        // An audience that was declared since then has entries that the others do not have.
        return try await readCatalog().generation == catalog.generation ? found + missing : found
    }

    /// The number of records of each type.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: One statement, for which the server reads every record.
    public func recordCounts() async throws -> [String: Int] {
        let sql = "SELECT type, count(*) FROM \(tables.records) WHERE body IS NOT NULL GROUP BY type"
        let rows = try await read(Statement("count records", sql))
        var counts: [String: Int] = [:]
        for row in 0..<rows.count {
            if let type = rows.text(row, 0), let count = rows.integer(row, 1) { counts[type] = Int(count) }
        }
        return counts
    }
}
#endif

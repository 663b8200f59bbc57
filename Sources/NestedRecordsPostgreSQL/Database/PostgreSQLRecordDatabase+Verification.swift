#if PostgreSQL
@_spi(Engines) public import NestedRecords

extension PostgreSQLRecordDatabase: TypeCountingRecordDatabase {
    /// Reads every row, including those of deleted records.
    ///
    /// The indexes are the server's own, which it checks itself (`pg_amcheck`), and so are rows that it cannot read: the
    /// first one ends the verification with the server's error.
    ///
    /// - Returns: An error for each damaged row, in the order of their IDs; none if all are undamaged.
    /// - Throws: `RecordDatabaseError` if the rows cannot be read, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes of the records.
    public func verify() async throws -> [RecordDatabaseError] {
        var found: [RecordDatabaseError] = []
        var pages = RecordPages(of: self, .rows)
        while var rows = try await pages.nextRows() {
            for row in 0..<rows.count {
                do {
                    if !rows.hasRecord(row) {
                        _ = try rows.id(row)
                    } else if case let record = try rows.record(row), !rows.hasFields(of: record, row) {
                        found.append(.differingFields(of: record.id, in: tables))
                    }
                } catch let failure as RecordDatabaseError where failure.code == .corrupt {
                    found.append(failure)
                }
            }
        }
        return found
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

#if PostgreSQL
import NestedRecords

extension PostgreSQLRecordDatabase {
    /// The number of records of each type.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: One statement, for which the server reads every record.
    public func recordCounts() async throws -> [String: Int] {
        let rows = try await read(tables.countsByType)
        var counts: [String: Int] = [:]
        for row in 0..<rows.count {
            if let type = rows.text(row, 0), let count = rows.integer(row, 1) { counts[type] = Int(count) }
        }
        return counts
    }
}

extension Tables {
    /// The number of records of each type.
    fileprivate var countsByType: Statement {
        Statement("count records", "SELECT type, count(*) FROM \(records) WHERE body IS NOT NULL GROUP BY type")
    }
}
#endif

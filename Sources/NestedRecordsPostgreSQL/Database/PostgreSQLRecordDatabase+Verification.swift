#if PostgreSQL
public import NestedRecords

extension PostgreSQLRecordDatabase {
    /// Damage that ``PostgreSQLRecordDatabase/verify()`` has found.
    public struct Problem: Sendable, Hashable {
        /// The record whose row is damaged; nil if the row has no ID of a record.
        public let recordID: Record.ID?

        /// What is damaged.
        public let what: String
    }
}

extension PostgreSQLRecordDatabase.Problem: CustomStringConvertible {
    /// What is damaged, and the record.
    public var description: String { what }
}

extension PostgreSQLRecordDatabase {
    /// Reads every row, also those of deleted records.
    ///
    /// One that the server cannot read is damaged.
    ///
    /// The indexes are the server's own, which it checks itself (`pg_amcheck`).
    ///
    /// - Returns: The damaged rows, in the order of their IDs; none if all are as they were written.
    /// - Throws: `RecordDatabaseError` for what keeps the rows from being read, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes of the records.
    public func verify() async throws -> [Problem] {
        var found: [Problem] = []
        var pages = RecordPages(of: self, .rows)
        while var rows = try await pages.nextRows(orPass: { place, refusal in
            found.append(Problem(recordID: try? Record.ID(type: place.type, name: place.name), what: "\(refusal)"))
        }) {
            for row in 0..<rows.count {
                do {
                    if rows.hasRecord(row) { _ = try rows.record(row) } else { _ = try rows.id(row) }
                } catch let failure as RecordDatabaseError where failure.code == .corrupt {
                    found.append(Problem(recordID: failure.recordID, what: "\(failure)"))
                }
            }
        }
        return found
    }
}
#endif

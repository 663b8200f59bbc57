#if SQLite
@_spi(Engines) public import NestedRecords

extension SQLiteRecordDatabase {
    /// A page of the records that match a query.
    ///
    /// It is read from one snapshot of the database. With an index that has the order of the query, or by names, only
    /// the records that the page needs are read; with an index for a comparison in the filter, only the records that
    /// match it.
    ///
    /// - Throws: `RecordError`, `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: O(*m* log *n*) for *m* records of the page and *n* records of the type if an index has the order
    ///   and the whole filter, else O(*n* log *m*) for the *n* records that an index cannot exclude.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        try await read(isShort: true) { try $0.page(query) }
    }

    /// The versions of a type's records in the order of their names: see `RecordDatabase`.
    ///
    /// - Throws: `RecordError.Code.invalidLimit`, `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: O(*m* + log *n*) for *m* versions and *n* records in the database; no record is read.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        if limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        return try await read(isShort: true) { try $0.versions(ofType: type, after: name ?? "", limit: limit) }
    }

    /// The number of records that match a query; its order, limit and cursor are ignored.
    ///
    /// - Throws: The errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records that an index cannot exclude; no record is read if an index has the whole
    ///   filter.
    public func count(_ query: RecordQuery) async throws -> Int { try await read { try $0.count(query) } }

    /// The indexes of the file, whatever the options of this database declare.
    package func storedIndexes() async throws -> [FieldIndex] { try await read { try $0.indexList().indexes } }

    /// The plan of a query in English sentences.
    ///
    /// - Throws: The errors of ``page(_:)``.
    public func explanation(of query: RecordQuery) async throws -> String {
        try await read { connection in
            let list = try connection.indexList()
            let targets = try connection.targets(of: query.filter, in: list).ids
            let (plan, inOrder) = try QueryPlan.alternatives(query, targets: targets, indexes: list.indexes)
            return plan.words(for: query, or: inOrder)
        }
    }

    /// Summaries of the records that match a query: see `RecordDatabase`.
    ///
    /// - Throws: `RecordError.Code.invalidSummary`, and the errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records that an index cannot exclude. Groups are counted in an index alone if it has
    ///   the whole filter, and its last path is that of the groups, after paths with one value each.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await read { try $0.summaries(of: query, field: field, groupedBy: group) }
    }

    /// The references to records, in any field of any record.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: O(*n* log *m*) for *n* fields and list elements of the records that refer to the given ones and *m*
    ///   references in the database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        if ids.isEmpty { return [:] }
        return try await read { try $0.referrers(of: Array(Set(ids))) }
    }
}
#endif

/// A database that passes its calls on to another database, except those that it implements itself.
///
/// ```swift
/// struct LoggedDatabase: ForwardingRecordDatabase {
///     let base: any RecordDatabase
///
///     func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
///         print("\(batch.count) changes")
///         return try await base.commit(batch)
///     }
/// }
/// ```
///
/// A type that adopts ``RecordDatabase`` alone gets the defaults of ``RecordDatabase/page(_:)``,
/// ``RecordDatabase/count(_:)`` and ``RecordDatabase/referrers(of:)``, which examine all records even if the other database
/// has indexes.
///
/// The protocol is for types that add something to calls. A type that changes what is read, as one that hides records, must
/// implement each function that reads: fetches, lists, pages, counts, summaries, referrers and the feed. A record that only
/// one of them hides is shown by the others. ``ScopedRecordDatabase`` does it for rules.
public protocol ForwardingRecordDatabase: RecordDatabase {
    /// The other database.
    var base: any RecordDatabase { get }
}

extension ForwardingRecordDatabase {
    /// The limits of the other database.
    public var limits: RecordDatabaseLimits { base.limits }

    /// The capabilities of the other database.
    public var capabilities: RecordCapabilities { base.capabilities }

    /// The feed of the other database.
    public var feed: (any RecordFeed)? { base.feed }

    /// The storage of the other database.
    public var assets: (any AssetStorage)? { base.assets }

    /// Fetches from the other database.
    public func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    /// Commits to the other database.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await base.commit(batch)
    }

    /// Asks the other database.
    public func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        try await base.outcome(of: id)
    }

    /// Lists the records of the other database.
    public func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }

    /// Asks the other database.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        try await base.versions(ofType: type, after: name, limit: limit)
    }

    /// Asks the other database.
    public func page(_ query: RecordQuery) async throws -> RecordPage { try await base.page(query) }

    /// Asks the other database.
    public func count(_ query: RecordQuery) async throws -> Int { try await base.count(query) }

    /// Returns the explanation of the base.
    public func explanation(of query: RecordQuery) async throws -> String { try await base.explanation(of: query) }

    /// Returns the summaries of the base.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await base.summaries(of: query, field: field, groupedBy: group)
    }

    /// Asks the other database.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        try await base.referrers(of: ids)
    }
}

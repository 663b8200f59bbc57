/// A database that reports each call to a closure, for metrics, logs and traces.
///
/// ```swift
/// let database = MonitoredRecordDatabase(base) { call in
///     metrics.record(call.function, call.duration, failed: call.failure != nil)
/// }
/// ```
///
/// The closure runs once after each call, in the task of the caller, so that it sees the task's local values. The caller
/// waits for it: it should be short. The results and errors of the base are passed on unchanged. The feed of the base is
/// reported too.
///
/// - Complexity: Two readings of the clock, and the closure, for each call; for each page of a list.
public struct MonitoredRecordDatabase: ForwardingRecordDatabase {
    /// A finished call of a database.
    public struct Call: Sendable {
        fileprivate let kind: Kind

        /// The function of the database: `fetch`, `commit`, `list` (one iteration over all records, or those of a type,
        /// to its end or to where the reader stopped), `page`, `count`, `summaries`, `explanation`, `referrers`,
        /// `changeToken` (the current or oldest position of the feed), `changes` or `wait` (for a change).
        public var function: String { kind.rawValue }

        /// The number of IDs of a fetch and of a search for references, of saves, deletions and conditions of a commit,
        /// of records that a list or a page has returned, of changes of the feed, of counted records, and of summaries.
        ///
        /// It is 0 if a call failed that counts what it returns.
        public let count: Int

        /// The time until the result or error; for a list without the time that the reader spent between its records.
        public let duration: Duration

        /// The error that the call threw; nil if it succeeded.
        public let failure: (any Error)?
    }

    fileprivate enum Kind: String {
        case fetch, commit, list, versions, page, count, summaries, explanation, referrers, changeToken, changes, wait
    }

    /// The database that is called.
    public let base: any RecordDatabase
    private let report: @Sendable (Call) -> Void

    /// Makes a database that reports the calls of another.
    ///
    /// - Parameters:
    ///   - base: The other database.
    ///   - report: Called after each call, at the same time for concurrent ones.
    public init(_ base: any RecordDatabase, reportingTo report: @escaping @Sendable (Call) -> Void) {
        (self.base, self.report) = (base, report)
    }

    private func reporting<Success>(
        _ kind: Kind, count: Int = 0, of counted: (Success) -> Int = { _ in 0 }, _ body: () async throws -> Success
    ) async throws -> Success {
        let start = ContinuousClock.now
        do {
            let result = try await body()
            report(Call(kind: kind, count: count + counted(result), duration: start.duration(to: .now), failure: nil))
            return result
        } catch {
            report(Call(kind: kind, count: count, duration: start.duration(to: .now), failure: error))
            throw error
        }
    }
}

extension MonitoredRecordDatabase {
    /// Fetches from the base, and reports it.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try await reporting(.fetch, count: ids.count) { try await base.records(for: ids) }
    }

    /// Commits the batch to the base, and reports the call.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await reporting(.commit, count: batch.count) { try await base.commit(batch) }
    }

    /// Lists the records of the base; each iteration is reported when it ends.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        base.storedRecords(ofType: type).measured { [report] count, duration, error in
            report(Call(kind: .list, count: count, duration: duration, failure: error))
        }
    }

    /// Asks the base, and reports it.
    public func versions(
        ofType type: String, after name: String?, limit: Int
    ) async throws -> [RecordBatch.VersionedID] {
        try await reporting(.versions, of: \.count) {
            try await base.versions(ofType: type, after: name, limit: limit)
        }
    }

    /// Asks the base, and reports it.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        try await reporting(.page, of: \.records.count) { try await base.page(query) }
    }

    /// Asks the base, and reports it.
    public func count(_ query: RecordQuery) async throws -> Int {
        try await reporting(.count, of: { $0 }) { try await base.count(query) }
    }

    /// Asks the base, and reports it.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await reporting(.summaries, of: \.count) {
            try await base.summaries(of: query, field: field, groupedBy: group)
        }
    }

    /// Asks the base, and reports it.
    public func explanation(of query: RecordQuery) async throws -> String {
        try await reporting(.explanation) { try await base.explanation(of: query) }
    }

    /// Asks the base, and reports it.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        try await reporting(.referrers, count: ids.count) { try await base.referrers(of: ids) }
    }
}

// MARK: Changes

extension MonitoredRecordDatabase: LiveDatabase {
    var liveFeed: (any RecordFeed)? { base.followedFeed.map(monitored) }

    /// The feed of the base, whose calls are reported; nil if the base has none.
    public var feed: (any RecordFeed)? { base.feed.map(monitored) }

    private func monitored(_ feed: any RecordFeed) -> any RecordFeed {
        MonitoredFeed(base: feed, monitored: MonitoredRecordDatabase(feed.database, reportingTo: report))
    }

    private struct MonitoredFeed: AudienceFeed {
        let base: any RecordFeed
        let monitored: MonitoredRecordDatabase
        var database: any RecordDatabase { monitored }

        func changeToken() async throws -> ChangeToken {
            try await monitored.reporting(.changeToken) { try await base.changeToken() }
        }

        func oldestChangeToken() async throws -> ChangeToken {
            try await monitored.reporting(.changeToken) { try await base.oldestChangeToken() }
        }

        func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
            try await monitored.reporting(.changes, of: { $0.saved.count + $0.deleted.count }) {
                try await base.storedChanges(since: token, limit: limit)
            }
        }

        func waitForChanges(after token: ChangeToken) async throws {
            try await monitored.reporting(.wait) { try await base.waitForChanges(after: token) }
        }

        func changeToken(of view: AudienceView) async throws -> ChangeToken {
            try await monitored.reporting(.changeToken) { try await base.ofAudiences().changeToken(of: view) }
        }

        func changes(of view: AudienceView, since token: AudienceToken, limit: Int) async throws -> AudienceChanges {
            try await monitored.reporting(.changes, of: { $0.changes.saved.count + $0.changes.removed.count }) {
                try await base.ofAudiences().changes(of: view, since: token, limit: limit)
            }
        }

        func waitForChanges(of view: AudienceView, after token: AudienceToken) async throws {
            try await monitored.reporting(.wait) { try await base.ofAudiences().waitForChanges(of: view, after: token) }
        }

        func completeAudience(ofType type: String) async throws {
            try await base.ofAudiences().completeAudience(ofType: type)
        }
    }
}

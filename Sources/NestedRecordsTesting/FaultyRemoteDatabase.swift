import Foundation
@_spi(Engines) public import NestedRecords

/// A database in memory that behaves as one over a network, with the limits and the faults that a test chooses.
///
/// ```swift
/// var options = FaultyRemoteDatabase.Options()
/// options.capabilities.remove(.snapshotReads)
/// options.lostAcknowledgements = 0.1
/// let store = RecordStore(FaultyRemoteDatabase(options), retries: RetryPolicy(repeatsTransientErrors: true))
/// ```
///
/// A capability that is removed is really missing: records of one fetch are of different moments, queries do not see the
/// last commits, the feed splits batches. It holds its records only as long as the process runs.
public struct FaultyRemoteDatabase: RecordDatabase {
    /// What the database can do, and what goes wrong.
    public struct Options: Sendable {
        /// What the database can do.
        public var capabilities: RecordCapabilities = [.all, .outcomes]

        /// How much it accepts at a time.
        public var limits = RecordDatabaseLimits()

        /// The time that each call takes.
        public var latency = Duration.zero

        /// The share of calls that are lost on the way, 0 to 1: nothing is done, and the connection is lost.
        ///
        /// The caller of a commit cannot distinguish this from a lost answer: `unknownOutcome`.
        public var lostRequests = 0.0

        /// The share of commits that are applied, and whose answer is lost, 0 to 1.
        public var lostAcknowledgements = 0.0

        /// The share of calls that are refused as too many, with a time to wait, 0 to 1.
        public var refusedRequests = 0.0

        /// The share of commits of several records that fail for one of them, with an error for each record, 0 to 1.
        public var partialFailures = 0.0

        /// The time that a refused call is to wait.
        public var retryAfter = Duration.milliseconds(1)

        /// The number of the last commits that queries do not see without `readYourQueries`.
        public var queryLag = 3

        /// The time for which outcomes are kept.
        public var outcomeAge = Duration.seconds(3_600)

        /// The maximum number of deletions that the feed remembers.
        public var maximumDeletionCount = 100_000

        /// The beginning of the random numbers.
        public var seed: UInt64 = 1

        /// Makes options without limits and faults.
        public init() {}
    }

    let server: RemoteServer
    private let polled: PolledFeed

    /// Makes an empty database.
    public init(_ options: Options = Options()) { self.init(RemoteServer(options)) }

    init(_ server: RemoteServer) {
        self.server = server
        polled = PolledFeed(RemoteFeed(server: server), pauses: .milliseconds(1) ... .milliseconds(20))
    }

    /// The options.
    public var options: Options { server.options }

    /// The limits of the options; names with a slash or a point are refused without `allNames`.
    public var limits: RecordDatabaseLimits {
        var limits = options.limits
        if !options.capabilities.contains(.allNames) {
            limits.nameFault = { id in
                id.name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
                    ? "the name has a slash or a point" : nil
            }
        }
        return limits
    }

    /// The capabilities of the options.
    public var capabilities: RecordCapabilities { options.capabilities }

    /// The feed, which looks for changes at intervals; without `wholeBatchesInFeed` its pages split batches.
    public var feed: (any RecordFeed)? { polled }

    /// Fetches records; one after the other without `snapshotReads`.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        try checkCount(of: ids)
        try await server.arrive()
        return try await server.records(for: ids)
    }

    /// Applies a batch, unless it is lost on the way or voided.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        try await server.arrive(orThrow: server.lostCommit(batch))
        return try await server.commit(batch)
    }

    /// Says what became of a batch, and voids it if it was not applied.
    public func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        try require(.outcomes, for: "the outcome of a batch")
        try await server.arrive()
        return try await server.outcome(of: id)
    }

    /// A page of a query, in several calls if it is larger than the limits allow.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        try checkMayScan(for: "a query of '\(query.recordType)'")
        return try await page(query) { part in
            try await server.arrive()
            let records = try await server.visibleRecords(ofType: part.recordType)
            let page = try await page(part, among: records)
            guard page.records.count <= limits.pageCount, page.examinedCount <= limits.examinedCount else {
                throw RecordDatabaseError(
                    .scanRefused, reason: "\(page.records.count) of \(page.examinedCount) records")
            }
            return page
        }
    }

    /// The versions of a type; without `orderedVersions` in the order of the reversed names.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        func isBefore(_ left: String, _ right: String) -> Bool {
            let isOrdered = capabilities.contains(.orderedVersions)
            return isOrdered
                ? left.utf8.lexicographicallyPrecedes(right.utf8)
                : left.utf8.reversed().lexicographicallyPrecedes(right.utf8.reversed())
        }
        if limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        try checkMayScan(for: "the versions of '\(type)'")
        try await server.arrive()
        let records = try await server.visibleRecords(ofType: type).sorted { isBefore($0.id.name, $1.id.name) }
        let rest = records.filter { record in name.map { isBefore($0, record.id.name) } ?? true }
        return rest.prefix(limit).map { RecordBatch.VersionedID($0.id, version: RecordBatch.Version(of: $0)) }
    }

    /// All records; without `readYourQueries` those before the last commits.
    public func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(reading: { [server] in
            try await server.arrive()
            return try await server.visibleRecords(ofType: type)
        })
    }
}

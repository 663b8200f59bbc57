/// A database that repeats the calls which another database refuses for now, and finds out what became of lost commits.
///
/// The policy is that of a ``RecordStore``, which the functions of a database that try again find in its limits. A list is not repeated once it has begun.
package struct RetriedRecordDatabase: ForwardingRecordDatabase {
    package let base: any RecordDatabase
    private let policy: RetryPolicy
    private let pause: RetryPause

    package init(_ base: any RecordDatabase, _ policy: RetryPolicy, pause: RetryPause = RetryPause()) {
        (self.base, self.policy, self.pause) = (base, policy, pause)
    }

    /// The limits of the base, with the policy.
    package var limits: RecordDatabaseLimits {
        var limits = base.limits
        limits.retries = policy
        return limits
    }

    package func records(for ids: [Record.ID]) async throws -> [Record] {
        try await repeating { try await base.records(for: ids) }
    }

    package func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        guard policy.repeatsTransientErrors, base.capabilities.contains(.outcomes), !batch.isEmpty else {
            return try await repeating { try await base.commit(batch) }
        }
        var batch = batch
        let isNamed = batch.id != nil
        return try await repeating {
            let id = batch.id ?? RecordBatch.makeID()
            batch.id = id
            do {
                return try await base.commit(batch)
            } catch RecordDatabaseError.Code.unknownOutcome {
                if let saved = try await repeating({ try await base.outcome(of: id) }) { return saved }
                // The ID is void now: the lost batch cannot be applied any more.
                if isNamed {
                    throw RecordDatabaseError(.connectionLost, .system(operation: "save"), isTransient: false)
                }
                batch.id = nil
                throw RecordDatabaseError(.connectionLost, .system(operation: "save"))
            } catch RecordDatabaseError.Code.batchVoided where !isNamed {
                // The network may have sent the batch twice: the other copy was faster.
                if let saved = try await repeating({ try await base.outcome(of: id) }) { return saved }
                throw RecordDatabaseError(.batchVoided, .batch(id))
            }
        }
    }

    package func versions(
        ofType type: String, after name: String?, limit: Int
    ) async throws -> [RecordBatch.VersionedID] {
        try await repeating { try await base.versions(ofType: type, after: name, limit: limit) }
    }

    package func page(_ query: RecordQuery) async throws -> RecordPage {
        try await repeating { try await base.page(query) }
    }

    package func count(_ query: RecordQuery) async throws -> Int {
        try await repeating { try await base.count(query) }
    }

    package func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        try await repeating { try await base.summaries(of: query, field: field, groupedBy: group) }
    }

    package func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        try await repeating { try await base.referrers(of: ids) }
    }

    package func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        try await repeating { try await base.outcome(of: id) }
    }

    package func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence { [self] in RetriedList(database: self, type: type) }
    }

    private struct RetriedList: AsyncIteratorProtocol {
        let database: RetriedRecordDatabase
        let type: String?
        var records: RecordSequence.Iterator?

        mutating func next() async throws -> Record? {
            if records != nil { return try await records?.next() }
            let first: Record?
            (records, first) = try await database.repeating {
                var records = database.base.storedRecords(ofType: type).makeAsyncIterator()
                let first = try await records.next()
                return (records, first)
            }
            return first
        }
    }

    package var assets: (any AssetStorage)? { base.assets.map { RetriedAssets($0, policy, pause: pause) } }

    package var feed: (any RecordFeed)? { base.feed.map(retried) }

    private func retried(_ feed: any RecordFeed) -> any RecordFeed {
        RetriedFeed(base: feed, retried: RetriedRecordDatabase(feed.database, policy, pause: pause))
    }

    fileprivate func repeating<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await policy.repeating(pause, where: \.isTransient, body)
    }
}

extension RetriedRecordDatabase: LiveDatabase {
    var liveFeed: (any RecordFeed)? { base.followedFeed.map(retried) }
}

private struct RetriedFeed: AudienceFeed {
    let base: any RecordFeed
    let retried: RetriedRecordDatabase
    var database: any RecordDatabase { retried }

    func changeToken() async throws -> ChangeToken { try await retried.repeating { try await base.changeToken() } }

    func oldestChangeToken() async throws -> ChangeToken {
        try await retried.repeating { try await base.oldestChangeToken() }
    }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await retried.repeating { try await base.storedChanges(since: token, limit: limit) }
    }

    func waitForChanges(after token: ChangeToken) async throws {
        try await retried.repeating { try await base.waitForChanges(after: token) }
    }

    func changeToken(of view: AudienceView) async throws -> ChangeToken {
        try await retried.repeating { try await base.ofAudiences().changeToken(of: view) }
    }

    func changes(of view: AudienceView, since token: AudienceToken, limit: Int) async throws -> AudienceChanges {
        try await retried.repeating { try await base.ofAudiences().changes(of: view, since: token, limit: limit) }
    }

    func waitForChanges(of view: AudienceView, after token: AudienceToken) async throws {
        try await retried.repeating { try await base.ofAudiences().waitForChanges(of: view, after: token) }
    }

    func completeAudience(ofType type: String) async throws {
        try await retried.repeating { try await base.ofAudiences().completeAudience(ofType: type) }
    }
}

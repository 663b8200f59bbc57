/// A database that keeps fetched records in memory, in front of a slow database with a feed of changes.
///
/// ```swift
/// let database = try CachedRecordDatabase(base, maximumCount: 10_000)
/// ```
///
/// ``records(for:)`` returns cached records if it has all of the IDs, and otherwise fetches all of them from the base:
/// then the records are of one moment. All other calls, and the feed, go to the base.
///
/// - A commit through the cache removes the records of its batch, and keeps them out until it returns: they are read as
///   without a cache. A commit that fails also removes the records of its conditions, and those that refer to records which it
///   deletes, so that another attempt reads the base.
/// - Changes of other writers are read when the feed has reported them. Until then, cached records may be of older
///   moments, also different ones. Conditional saves stay safe: the base compares the versions. A transaction compares
///   the versions of all that it has read, unless it only reads, and with a single call.
/// - A record that changes while it is fetched is not kept, so that its removal is not undone. Missing records, and those
///   that the library keeps for itself, are never kept.
/// - The cache keeps nothing before the feed is followed, and drops everything if it fails. It then begins again, after a
///   pause of at most two seconds; after the error `closed`, never.
///
/// One cache serves all tasks, and all scopes over it. It follows the feed until it is released.
public final class CachedRecordDatabase: ForwardingRecordDatabase {
    /// The database with the records, for reads that must not be older than it.
    public let base: any RecordDatabase
    private let cache: RecordCache
    private let follower: Task<Void, Never>

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - base: The database with the records.
    ///   - maximumCount: The maximum number of records to keep, at least 2. The half that was used last stays; the rest is
    ///     dropped at once when the cache is full. A call for more than half of this number is not cached.
    /// - Throws: ``RecordDatabaseError`` with the code `noFeed` if the base has no feed.
    public convenience init(_ base: any RecordDatabase, maximumCount: Int) throws {
        try self.init(base, maximumCount: maximumCount, pause: RetryPause())
    }

    init(_ base: any RecordDatabase, maximumCount: Int, pause: RetryPause) throws {
        guard let feed = base.feed else { throw RecordDatabaseError(.noFeed) }
        let cache = RecordCache(maximumCount: maximumCount)
        (self.base, self.cache) = (base, cache)
        follower = Task.detached { await cache.follow(feed, pause: pause) }
    }

    deinit { follower.cancel() }

    /// Returns cached records, or fetches all from the base.
    ///
    /// - Parameter ids: IDs, each once.
    /// - Returns: The existing records, each once, in any order.
    /// - Throws: Errors of the base.
    /// - Complexity: O(*n*) for *n* IDs, amortized.
    public func records(for ids: [Record.ID]) async throws -> [Record] {
        if ids.count <= limits.batchCount, let records = cache.records(for: ids) { return records }
        let number = cache.beginFetching(ids)
        var records: [Record]?
        defer { cache.endFetching(ids, number, records) }
        let fetched = try await base.records(for: ids)
        records = fetched
        return fetched
    }

    /// Commits to the base, and removes the records of the batch from the cache.
    ///
    /// - Complexity: O(*n*) for *n* saves and deletions.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        let ids = batch.saves.map(\.id) + batch.deletions.map(\.id)
        cache.beginChanging(ids)
        defer { cache.endChanging(ids) }
        do {
            return try await base.commit(batch)
        } catch {
            let holders = (error as? RecordDatabaseError)?.references.compactMap(\.context.record) ?? []
            cache.remove(batch.conditions.map(\.id) + holders)
            throw error
        }
    }
}

// MARK: Figures since the cache was made

extension CachedRecordDatabase {
    /// The number of records that are cached or being fetched.
    public var cachedCount: Int { cache.statistics.count }

    /// Whether the feed is followed; if not, nothing is cached.
    public var isFollowing: Bool { cache.statistics.isFollowing }

    /// The number of IDs that were answered from the cache.
    public var hitCount: Int { cache.statistics.hitCount }

    /// The number of IDs that were fetched from the base.
    public var missCount: Int { cache.statistics.missCount }

    /// The number of cached records that the feed has removed, because another writer has changed or deleted them.
    public var changedCount: Int { cache.statistics.changedCount }

    /// The longest time between a record's change by another writer and its removal from the cache.
    ///
    /// It is measured by the modification date and the clock of this machine; deletions do not count.
    public var longestStaleness: Duration { cache.statistics.longestStaleness }

    /// The share of IDs that were answered from the cache, 0 to 1; 0 before the first call.
    public var hitRate: Double {
        let statistics = cache.statistics
        let (hits, misses) = (statistics.hitCount, statistics.missCount)
        return hits == 0 ? 0 : Double(hits) / Double(hits + misses)
    }
}

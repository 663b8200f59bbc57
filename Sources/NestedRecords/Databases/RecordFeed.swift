/// The changes of a database, in their order.
///
/// ```swift
/// guard let feed = database.feed else { return }
/// var token = try await feed.changeToken()
/// // … later, perhaps after a restart:
/// let changes = try await feed.changes(since: token, limit: 100)
/// token = changes.token
/// ```
///
/// A reader that follows the tokens receives the newest state of every saved record, and the ID of every deleted one:
/// each at least once, and no record in an older state than before. The database stores nothing for a reader, so that a
/// slow one costs nothing.
///
/// A page never has a part of a batch where the database has ``RecordCapabilities/wholeBatchesInFeed``. The pages up to a
/// complete one together show the database at one moment in any case.
public protocol RecordFeed: Sendable {
    /// The database to read other records from: it is never older than the tokens of the feed.
    ///
    /// For a database with a cache in front this is the database after the cache.
    var database: any RecordDatabase { get }

    /// Returns the current position in the history.
    ///
    /// - Returns: A token after the last change.
    /// - Throws: Errors of the database.
    func changeToken() async throws -> ChangeToken

    /// Returns the beginning of the history that the database still has.
    ///
    /// All changes since then are recorded. Records that were saved before are not a part of the history, even if they
    /// still exist.
    ///
    /// - Returns: A token for ``changes(since:limit:including:)``; by default the current position.
    /// - Throws: Errors of the database.
    func oldestChangeToken() async throws -> ChangeToken

    /// Returns the changes since a token, with those of records that the library keeps for itself.
    ///
    /// For feeds to implement; callers use ``changes(since:limit:including:)``. The claims of unique values may be missing
    /// among the deleted records: a feed need not remember them.
    ///
    /// - Parameters:
    ///   - token: The position to start after.
    ///   - limit: The number of records after which a page ends, at least one. A page is larger if its last batch is.
    /// - Returns: The changes, and the position after them, even without changes.
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired`, and errors of the database.
    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges

    /// Waits for a change after a token.
    ///
    /// It may return without a change, but always returns if there is one. While only records change that the library
    /// keeps for itself, the wait goes on.
    ///
    /// - Parameter token: The position to start after.
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired`, `CancellationError` at once if the task is cancelled,
    ///   and errors of the database.
    func waitForChanges(after token: ChangeToken) async throws
}

extension RecordFeed {
    /// Returns the current position, for databases that do not know where their history begins.
    public func oldestChangeToken() async throws -> ChangeToken { try await changeToken() }

    /// Returns the changes since a token.
    ///
    /// - Parameters:
    ///   - token: The position to start after.
    ///   - limit: The number of records after which a page ends, at least one. A page is larger if its last batch is.
    ///   - inclusion: `.system` for the changes of the records that the library keeps for itself, too.
    /// - Returns: The changes, and the position after them, even without changes. A page before the last one may be
    ///   empty.
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired`, and errors of the database.
    public func changes(
        since token: ChangeToken, limit: Int, including inclusion: RecordInclusion = []
    ) async throws -> RecordChanges {
        var changes = try await storedChanges(since: token, limit: limit)
        if inclusion.contains(.system) { return changes }
        changes.saved.removeAll { $0.id.isReserved }
        changes.deleted.removeAll { $0.isReserved }
        return changes
    }
}

extension RecordFeed {
    /// The position after changes of records that the library keeps for itself alone; nil if another record has changed.
    ///
    /// - Parameter token: The position to start after.
    /// - Returns: The token itself, or a later one.
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired`, and errors of the database.
    package func tokenAfterSystemChanges(since token: ChangeToken) async throws -> ChangeToken? {
        var token = token
        while true {
            let page = try await changes(since: token, limit: 1)
            if !page.isEmpty { return nil }
            // Of a page that ends where it began, the rest cannot be known yet.
            if page.isComplete || page.token == token { return page.token }
            token = page.token
        }
    }
}

extension RecordFeed where Self: RecordDatabase {
    /// The database itself.
    public var database: any RecordDatabase { self }
}

extension RecordDatabase where Self: RecordFeed {
    /// The database itself.
    public var feed: (any RecordFeed)? { self }
}

/// The changes of a database since a token.
public struct RecordChanges: Sendable, Hashable {
    /// The saved records, as they were at the end of the page or later.
    public var saved: [Record]

    /// The IDs of the deleted records.
    public var deleted: [Record.ID]

    /// The IDs of the records that the reader of a scope could see and no longer sees, without the deleted ones; empty
    /// except in the feed of ``RecordStore/scoped(for:_:)``.
    public var departed: [Record.ID]

    /// The containers that the reader of a scope has left: with each its contents go, which are not listed.
    ///
    /// They go before the saved records come: a reader who has joined a container again gets it and its contents again.
    public var left: [Record.ID]

    /// The position after these changes.
    public var token: ChangeToken

    /// Whether no further changes follow.
    public var isComplete: Bool

    /// Makes changes, for implementations of feeds.
    public init(
        saved: [Record] = [], deleted: [Record.ID] = [], departed: [Record.ID] = [], left: [Record.ID] = [],
        token: ChangeToken, isComplete: Bool
    ) {
        self.saved = saved
        self.deleted = deleted
        self.departed = departed
        self.left = left
        self.token = token
        self.isComplete = isComplete
    }

    /// Whether nothing was saved or deleted, has departed or was left.
    public var isEmpty: Bool { saved.isEmpty && deleted.isEmpty && departed.isEmpty && left.isEmpty }
}

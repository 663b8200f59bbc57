/// A database that says what has changed in it.
///
/// ```swift
/// var token = try await database.changeToken()
/// // … later, perhaps after a restart:
/// let changes = try await database.changes(since: token, limit: 100)
/// token = changes.token
/// ```
///
/// Whoever goes on from token to token gets the newest state of every record that was saved, and the ID of every record
/// that was deleted: each at least once, and no record in an older state than before. Nothing is kept for a reader, so a
/// slow one costs nothing.
public protocol ObservableRecordDatabase: RecordDatabase {
    /// The present place in the history.
    ///
    /// - Returns: A token behind the last change.
    /// - Throws: What keeps the database from answering.
    func changeToken() async throws -> ChangeToken

    /// The place at which the history begins that the database still has.
    ///
    /// What has changed since is known. What was there before is not a part of the history, even if it is still there.
    ///
    /// - Returns: A token for ``changes(since:limit:)``; by default the present place.
    /// - Throws: What keeps the database from answering.
    func oldestChangeToken() async throws -> ChangeToken

    /// What has changed since a token.
    ///
    /// A page never has a part of a batch; all pages up to the one that is complete are together one moment of the
    /// database.
    ///
    /// - Parameters:
    ///   - token: The place behind what is known.
    ///   - limit: The number of records after which a page ends. It has more if a batch has more; less than one is one.
    /// - Returns: The changes, and the place behind them; also where nothing has changed.
    /// - Throws: ``RecordDatabaseError/changeTokenExpired(_:)``, and what keeps the database from answering.
    func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges

    /// Waits until something may have changed since a token.
    ///
    /// It may return for nothing, and never fails to return when there is a change.
    ///
    /// - Parameter token: The place behind what is known.
    /// - Throws: ``RecordDatabaseError/changeTokenExpired(_:)``, `CancellationError` at once if the task is cancelled,
    ///   and what keeps the database from answering.
    func waitForChanges(after token: ChangeToken) async throws
}

extension ObservableRecordDatabase {
    /// The present place: for databases that cannot tell where their history begins.
    ///
    /// - Returns: A token behind the last change.
    /// - Throws: What keeps the database from answering.
    public func oldestChangeToken() async throws -> ChangeToken { try await changeToken() }
}

/// What has changed in a database.
public struct RecordChanges: Sendable, Hashable {
    /// The records that were saved, as they were at the end of the page or later.
    public var saved: [Record]

    /// The records that were deleted.
    public var deleted: [Record.ID]

    /// The place behind these changes.
    public var token: ChangeToken

    /// Whether these are all changes that there were.
    public var isComplete: Bool

    /// Makes changes; for databases.
    ///
    /// - Parameters:
    ///   - saved: The records that were saved, each once.
    ///   - deleted: The records that were deleted, each once.
    ///   - token: The place behind these changes.
    ///   - isComplete: Whether these are all changes that there were.
    public init(saved: [Record] = [], deleted: [Record.ID] = [], token: ChangeToken, isComplete: Bool) {
        self.saved = saved
        self.deleted = deleted
        self.token = token
        self.isComplete = isComplete
    }

    /// Whether nothing was saved or deleted.
    public var isEmpty: Bool { saved.isEmpty && deleted.isEmpty }
}

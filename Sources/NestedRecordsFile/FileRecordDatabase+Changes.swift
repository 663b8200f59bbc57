public import NestedRecords

// The log is the history.

extension FileRecordDatabase: ObservableRecordDatabase {
    /// The present place in the history.
    ///
    /// - Returns: A token behind the last change.
    /// - Throws: `RecordDatabaseError.corrupt`, `RecordDatabaseError.closed` and what
    ///   the system refuses.
    /// - Complexity: O(*n*) for *n* batches the first time and after each compaction, and otherwise for those since.
    public func changeToken() async throws -> ChangeToken {
        try await reading { history, _ in try history.changeToken() }
    }

    /// The place at which the history begins that is there: what has changed since is known.
    ///
    /// Before the first compaction that is the beginning. A compaction keeps the newest version of every record, and
    /// ``Options/maximumDeletionCount`` deletions.
    ///
    /// - Returns: A token for ``changes(since:limit:)``.
    /// - Throws: As ``changeToken()``.
    public func oldestChangeToken() async throws -> ChangeToken {
        try await reading { history, _ in try history.oldestChangeToken() }
    }

    /// What has changed since a token, also of an earlier opening of the file.
    ///
    /// - Parameters:
    ///   - token: The place behind what is known.
    ///   - limit: The number of records after which a page ends, with the batch that it is in. Batches that were saved at
    ///     the same time are one.
    /// - Returns: The changes, and the place behind them.
    /// - Throws: `RecordDatabaseError.changeTokenExpired`, `RecordDatabaseError.corrupt`,
    ///   `RecordDatabaseError.closed`, what the system refuses, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes that were written since the token, up to the end of the page; the memory is that of
    ///   the page. Damaged versions that later ones supersede are left out.
    public func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await reading(since: token) { try $0.changes(since: token, limit: limit, checkGoesOn: $1) }
    }

    /// Waits until something may have changed since a token.
    ///
    /// If the file was opened only for reading, all who wait share a look at the file every 5 to 100 milliseconds.
    ///
    /// - Parameter token: The place behind what is known.
    /// - Throws: `RecordDatabaseError.changeTokenExpired`, `RecordDatabaseError.closed` also if the database is
    ///   closed meanwhile, what the system refuses, and `CancellationError` if the task is cancelled.
    public func waitForChanges(after token: ChangeToken) async throws {
        guard let follower = store.follower else {
            // In this order: what is written after the place was looked at has another end.
            let (end, part) = store.file.view.withLock { ($0.end, $0.part) }
            guard try await isLast(token) else { return }
            try await store.file.doorbell.wait { [file = store.file] in
                file.view.withLock { $0.end != end || $0.part != part || !$0.isOpen }
            }
            return try store.file.withOpenView { _ in }
        }
        try await follower.wait { try await isLast(token) }
    }

    /// Whether nothing has changed since a token.
    private func isLast(_ token: ChangeToken) async throws -> Bool {
        let now = try await changeToken()
        guard now.store == token.store else { throw RecordDatabaseError.changeTokenExpired(.otherStore) }
        return now.position == token.position
    }

    /// Runs an operation in another thread, with what another process has written.
    ///
    /// - Parameter token: Where the operation begins to read; nil for the end of what is known.
    private func reading<Result: Sendable>(
        since token: ChangeToken? = nil,
        _ body: @escaping @Sendable (HistoryReader, _ checkGoesOn: () throws -> Void) throws -> Result
    ) async throws -> Result {
        try await store.reading { [history = store.history] _ in
            if history.isShort(since: token) { return try await Reader.threads.run { try body(history) {} } }
            return try await BlockingQueue.runAlone { try body(history, $0) }
        }
    }
}

public import NestedRecords

// The log is the history.

extension FileRecordDatabase: ObservableRecordDatabase {
    /// The present place in the history.
    ///
    /// - Returns: A token behind the last change.
    /// - Throws: ``FileRecordDatabaseError/corrupt(path:offset:what:)``, ``FileRecordDatabaseError/closed(path:)`` and what
    ///   the system refuses.
    /// - Complexity: O(*n*) for *n* batches the first time and after each compaction, and otherwise for those since.
    public func changeToken() async throws -> ChangeToken {
        try await reading { try $0.changeToken() }
    }

    /// The place at which the history begins that is there: what has changed since is known.
    ///
    /// Before the first compaction that is the beginning. A compaction keeps the newest version of every record, and
    /// ``Options/maximumDeletionCount`` deletions.
    ///
    /// - Returns: A token for ``changes(since:limit:)``.
    /// - Throws: As ``changeToken()``.
    public func oldestChangeToken() async throws -> ChangeToken {
        try await reading { try $0.oldestChangeToken() }
    }

    /// What has changed since a token, also of an earlier opening of the file.
    ///
    /// - Parameters:
    ///   - token: The place behind what is known.
    ///   - limit: The number of records after which a page ends, with the batch that it is in. Batches that were saved at
    ///     the same time are one.
    /// - Returns: The changes, and the place behind them.
    /// - Throws: `RecordDatabaseError.changeTokenExpired`, ``FileRecordDatabaseError/corrupt(path:offset:what:)``,
    ///   ``FileRecordDatabaseError/closed(path:)``, what the system refuses, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes that were written since the token, up to the end of the page; the memory is that of
    ///   the page. All of them must be undamaged, old versions of records too.
    public func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let isCancelled = Lock(false)
        return try await withTaskCancellationHandler {
            try await reading { store in
                try store.changes(since: token, limit: limit) {
                    if isCancelled.withLock({ $0 }) { throw CancellationError() }
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Waits until something may have changed since a token.
    ///
    /// If the file was opened only for reading, the file is looked at every few milliseconds.
    ///
    /// - Parameter token: The place behind what is known.
    /// - Throws: `RecordDatabaseError.changeTokenExpired`, ``FileRecordDatabaseError/closed(path:)`` also if the database is
    ///   closed meanwhile, what the system refuses, and `CancellationError` if the task is cancelled.
    public func waitForChanges(after token: ChangeToken) async throws {
        try await store.waitForChanges(after: token)
    }

    /// Runs an operation in another thread, with what another process has written.
    private func reading<Result: Sendable>(
        _ body: @escaping @Sendable (LogStore) throws -> Result
    ) async throws -> Result {
        try await FetchQueues.shared.run { [store] in try store.following(body) }
    }
}

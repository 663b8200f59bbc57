@_spi(Engines) public import NestedRecords

// The log is the history.

extension FileRecordDatabase: RecordFeed {
    /// The current position in the history.
    ///
    /// - Throws: `RecordDatabaseError.corrupt`, `RecordDatabaseError.closed` and errors of the system.
    /// - Complexity: O(*n*) for *n* batches the first time and after each compaction, and otherwise for those since.
    public func changeToken() async throws -> ChangeToken {
        try await reading { history, _ in try history.changeToken() }
    }

    /// The earliest position since which all changes are known: the beginning, or that of the oldest deletion that a
    /// compaction has kept.
    ///
    /// - Throws: As ``changeToken()``.
    public func oldestChangeToken() async throws -> ChangeToken {
        try await reading { history, _ in try history.oldestChangeToken() }
    }

    /// The changes since a token, which may be from an earlier opening of the file.
    ///
    /// - Throws: As ``changeToken()``, `RecordDatabaseError.changeTokenExpired`, and `CancellationError`.
    /// - Complexity: O(*n*) for *n* bytes written since the token, up to the end of the page; the memory is that of the
    ///   page. Damaged versions that later ones supersede are left out.
    public func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await reading(since: token) { try $0.changes(since: token, limit: limit, checkGoesOn: $1) }
    }

    /// Waits until something may have changed since a token.
    ///
    /// If the file was opened only for reading, this looks at the file every 5 to 100 milliseconds.
    ///
    /// - Throws: `RecordDatabaseError.changeTokenExpired`, `RecordDatabaseError.closed` also if the database is closed
    ///   during the wait, errors of the system, and `CancellationError` if the task is cancelled.
    public func waitForChanges(after token: ChangeToken) async throws {
        try await store.prepare()
        let known = Lock(token)
        func goesOn() async throws -> Bool {
            let later = try await tokenAfterSystemChanges(since: known.withLock { $0 })
            if let later { known.withLock { $0 = later } }
            return later != nil
        }
        if let follower = store.follower { return try await follower.wait { try await goesOn() } }
        while true {
            // In this order: a write after this line is noticed.
            let (count, part) = store.file.view.withLock { ($0.newsCount, $0.part) }
            guard try await goesOn() else { return }
            let isDue = { @Sendable [file = store.file] in
                file.view.withLock { $0.newsCount != count || $0.part != part || !$0.isOpen }
            }
            while !isDue() { try await store.file.doorbell.wait(unless: isDue) }
            if try store.file.withOpenView({ $0.newsCount }) != count { return }
        }
    }

    /// Runs an operation in another thread, after taking in what another process has written.
    ///
    /// - Parameter token: Where the operation begins to read; nil for the end of the known history.
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

#if PostgreSQL
@_spi(Engines) public import NestedRecords

extension PostgreSQLRecordDatabase: RecordFeed {
    /// The current position in the history.
    ///
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func changeToken() async throws -> ChangeToken { try await token(at: tables.lastPlace) }

    /// The position at which the history begins: before the first change, or after the changes that
    /// ``PostgreSQLRecordDatabase/prepare()`` has forgotten.
    ///
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func oldestChangeToken() async throws -> ChangeToken { try await token(at: tables.firstPlace) }

    private func token(at place: Statement) async throws -> ChangeToken {
        // Another process may have restored the tables in the meantime.
        let catalog = try await readCatalog()
        let rows = try await read(place)
        // The records of earlier transactions are not among the changes since the token: they must be visible now.
        while catalog.isDistributed, try await !workersCaughtUp() {}
        guard rows.count == 1, let position = rows.transaction(0, 0), let mark = rows.integer(0, 1) else {
            return ChangeToken(store: catalog.identity, position: 0)
        }
        return ChangeToken(store: catalog.identity, position: position, mark: UInt64(bitPattern: mark))
    }

    /// The changes since a token.
    ///
    /// A change is visible once every transaction that began to write before it has ended, including those of other
    /// databases of the server: a long transaction delays the changes, and none is lost. Until then the page is not the
    /// last one; it may be empty, about a second after the call.
    ///
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    /// - Complexity: One statement, unless the call waits for another transaction.
    public func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        // If the changes only wait for another transaction, this call waits too: a caller that asks again at once would
        // gain nothing.
        var pause = Duration.milliseconds(1)
        while pause < .milliseconds(500) {
            let changes = try await page(since: token, limit: limit)
            if !changes.isEmpty || changes.isComplete { return changes }
            try await Task.sleep(for: pause)
            pause *= 2
        }
        return try await page(since: token, limit: limit)
    }

    private func page(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let catalog = try await knownCatalog()
        if catalog.isDistributed { return try await pageOfCluster(since: token, limit: limit) }
        let rows = try await read(tables.changes(since: token, limit: max(1, limit)))
        let changes = try changes(since: token, rows)
        if rows.integer(0, 4) != catalog.generation, try await readCatalog().isDistributed {
            return try await pageOfCluster(since: token, limit: limit)
        }
        return changes
    }

    private func changes(since token: ChangeToken, _ rows: Answer) throws -> RecordChanges {
        try check(token, rows)
        var next = token
        if let position = rows.transaction(0, 6), let mark = rows.integer(0, 7) {
            next = ChangeToken(store: token.store, position: position, mark: UInt64(bitPattern: mark))
        }
        var changes = RecordChanges(token: next, isComplete: rows.bool(0, 5) != true)
        // The single row may have only the head.
        guard !rows.isNull(0, 8) else { return changes }
        var stored = StoredRecords(rows, of: tables, at: 8)
        for row in 0..<stored.count {
            if stored.hasRecord(row) {
                changes.saved.append(try stored.record(row))
            } else {
                changes.deleted.append(try stored.id(row))
            }
        }
        return changes
    }

    /// The changes of distributed records.
    ///
    /// The workers may commit a transaction later than the coordinator. So the rows are read after the workers have
    /// committed every transaction before the horizon.
    private func pageOfCluster(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let news = try await read(tables.news(since: token))
        try check(token, news)
        guard news.bool(0, 5) == true, let horizon = news.transaction(0, 7) else {
            return RecordChanges(token: token, isComplete: news.bool(0, 6) != true)
        }
        guard try await workersCaughtUp() else { return RecordChanges(token: token, isComplete: false) }
        let statements = [
            try tables.changes(since: token, limit: max(1, limit), horizon: horizon), tables.hasRows(from: horizon),
        ]
        let answers = try await reportingMissingTables { try await pool.execute(statements, isRepeatable: true) }
        guard answers.count == 2 else { throw RecordDatabaseError(.connectionLost) }
        var changes = try changes(since: token, answers[0])
        // The rows of several servers are not of one moment: a row that was read as new may be newer by now.
        if answers[1].bool(0, 0) == true { changes.isComplete = false }
        return changes
    }

    /// Waits until something may have changed since a token.
    ///
    /// Every save is announced on the server. In case announcements are lost, this also looks for changes at the
    /// interval in the options.
    ///
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func waitForChanges(after token: ChangeToken) async throws {
        // The time to wait for other transactions to end.
        var pause = Duration.milliseconds(5)
        let interval = options.pollInterval.asPause
        while true {
            let number = bell.ringCount
            let rows = try await read(tables.news(since: token))
            try check(token, rows)
            if rows.bool(0, 5) == true { return }
            let isHeldUp = rows.bool(0, 6) == true
            try await bell.wait(after: number, atMost: isHeldUp ? min(pause, interval) : interval)
            if isHeldUp { pause = min(pause * 2, interval) }
        }
    }

    func check(_ token: ChangeToken, _ rows: Answer) throws {
        guard rows.count > 0, let identity = rows.text(0, 0), let purged = rows.transaction(0, 2) else {
            throw RecordDatabaseError(.notPrepared, reason: "the table of the store is empty")
        }
        guard rows.bool(0, 1) == true else {
            throw RecordDatabaseError(
                .notPrepared, reason: "the tables were made by another server and restored here")
        }
        let position = try token.place(in: identity).position
        if position < purged { throw RecordDatabaseError(.changeTokenExpired, .expiry(.purged)) }
        if position > 0, rows.bool(0, 3) != true { throw RecordDatabaseError(.changeTokenExpired, .expiry(.wentBack)) }
    }
}
#endif

#if SQLite
@_spi(Engines) public import NestedRecords

extension SQLiteRecordDatabase: RecordFeed {
    /// The current position in the history.
    ///
    /// - Throws: `RecordDatabaseError`.
    public func changeToken() async throws -> ChangeToken { try await read { try $0.token() } }

    /// The position at which the history in the file begins.
    ///
    /// - Throws: `RecordDatabaseError`.
    public func oldestChangeToken() async throws -> ChangeToken { try await read { try $0.oldestToken() } }

    /// The changes since a token, by this and other processes.
    ///
    /// - Throws: `RecordDatabaseError`, also with the code `changeTokenExpired`, for instance after more than a million
    ///   batches; and `CancellationError`.
    /// - Complexity: O(log *m* + *n*) for *m* records in the database and *n* of them on the page.
    public func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await read { try $0.changes(since: token, limit: max(1, limit)) }
    }

    /// Waits until something may have changed since a token.
    ///
    /// Changes by this database end the wait at once, those of other processes after ``Options/pollInterval`` at the
    /// latest.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError` if the task is cancelled.
    public func waitForChanges(after token: ChangeToken) async throws {
        var token = token
        while true {
            // A ring after the file was read is not missed. SQLite does not report the changes of other processes.
            let count = doorbell.ringCount
            let hasChanged = try await read { [token] connection in
                try connection.lastBatch().number != connection.position(of: token)
            }
            if hasChanged {
                guard let later = try await tokenAfterSystemChanges(since: token) else { return }
                token = later
            }
            try await doorbell.wait(after: count, atMost: options.pollInterval)
        }
    }
}

extension Connection {
    func token() throws -> ChangeToken {
        let last = try lastBatch()
        return ChangeToken(
            store: try storeID(), position: UInt64(bitPattern: last.number), mark: UInt64(bitPattern: last.mark))
    }

    fileprivate func oldestToken() throws -> ChangeToken {
        let first = try first(
            """
            SELECT number, mark FROM batches WHERE number >= (SELECT oldest_batch FROM state) ORDER BY number LIMIT 1
            """
        ) { ($0.int(0), $0.int(1)) }
        guard let first else { return try token() }
        return ChangeToken(
            store: try storeID(), position: UInt64(bitPattern: first.0), mark: UInt64(bitPattern: first.1))
    }

    func position(of token: ChangeToken) throws -> Int64 {
        let place = try token.place(in: storeID())
        let position = Int64(bitPattern: place.position)
        if let mark = try mark(of: position) {
            if mark != Int64(bitPattern: place.mark) {
                throw RecordDatabaseError(.changeTokenExpired, .expiry(.wentBack))
            }
            return position
        }
        let wentBack = try position < 0 || position > lastBatch().number
        throw RecordDatabaseError(.changeTokenExpired, .expiry(wentBack ? .wentBack : .purged))
    }

    func mark(of batch: Int64) throws -> Int64? {
        // Older ones stay while a record has their date and tag.
        try first(
            "SELECT mark FROM batches WHERE number = ?1 AND number >= (SELECT oldest_batch FROM state)", .int(batch)
        ) { $0.int(0) }
    }

    fileprivate func changes(since token: ChangeToken, limit: Int) throws -> RecordChanges {
        let start = try position(of: token)
        var changes = RecordChanges(token: token, isComplete: true)
        var last: Int64?
        try forEachRow(
            "SELECT batch, \(Self.recordColumns) FROM records WHERE batch > ?1 ORDER BY batch",
            [.int(start)]
        ) { row in
            try checkCancellation()
            let batch = row.int(0)
            if changes.saved.count + changes.deleted.count >= limit, let last, batch != last {
                changes.isComplete = false
                return false
            }
            last = batch
            if let record = try record(in: row, at: 1) {
                changes.saved.append(record)
            } else {
                changes.deleted.append(try storedID(inRow: row.int(1)))
            }
            return true
        }
        if changes.isComplete {
            changes.token = try self.token()
        } else if let last, let mark = try mark(of: last) {
            changes.token = ChangeToken(
                store: token.store, position: UInt64(bitPattern: last), mark: UInt64(bitPattern: mark))
        }
        return changes
    }
}
#endif

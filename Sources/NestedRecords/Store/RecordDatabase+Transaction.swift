extension RecordDatabase {
    /// Reads and writes records without changes of other writers in between; starts again if another writer was faster.
    ///
    /// ```swift
    /// try await database.transaction { transaction in
    ///     guard var counter = try await transaction.record(for: id) else { return }
    ///     counter["count"] = 1
    ///     try await transaction.commit(RecordBatch(saving: [counter], deleting: [draft]))
    /// }
    /// ```
    ///
    /// ``RecordStore/transaction(isolation:_:)`` does the same for values.
    ///
    /// Nothing is locked. The writes of the closure are committed in one batch when it returns, if no record that it
    /// has read has changed, and no record that it found missing exists now. Otherwise nothing is written, and the
    /// closure is called again after a pause. Transactions that read records by their IDs are serializable; a query or
    /// a list does not notice records that others add.
    ///
    /// If the closure throws, nothing is written. Its error is thrown if the records that it had read are unchanged;
    /// otherwise outdated records may have caused the error, and the closure is called again.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of attempts, at least one. The pauses between them are random and grow.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: Reads and writes. It may be called several times, so it should change nothing but the database.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of the closure; ``RecordDatabaseError/conflict(client:server:)``,
    ///   ``RecordDatabaseError/unknownRecord(_:)`` or ``RecordDatabaseError/versionMismatch(_:expected:server:)`` when
    ///   no attempt is left; ``RecordDatabaseError/batchTooLarge(count:limit:)`` if more records were read and written
    ///   than the database takes at a time; `CancellationError` if the task is cancelled between two attempts; and the
    ///   errors of the database.
    @discardableResult
    public func transaction<Result>(
        maximumAttempts: Int = 100, isolation: isolated (any Actor)? = #isolation,
        _ body: (RecordTransaction) async throws -> Result
    ) async throws -> Result {
        try await transaction(maximumAttempts: maximumAttempts, pause: RetryPause(), isolation: isolation, body)
    }

    func transaction<Result>(
        maximumAttempts: Int, pause: RetryPause, isolation: isolated (any Actor)? = #isolation,
        _ body: (RecordTransaction) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            let transaction = RecordTransaction(self)
            defer { transaction.end() }
            let result: Result
            do {
                result = try await body(transaction)
            } catch {
                // Records of different moments can cause any error.
                guard attempt < maximumAttempts, !(error is CancellationError), await transaction.isOvertaken() else {
                    throw error
                }
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
                continue
            }
            do {
                try await transaction.commit()
                return result
            } catch let error as RecordDatabaseError where error.isOvertaken && attempt < maximumAttempts {
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
            }
        }
    }
}

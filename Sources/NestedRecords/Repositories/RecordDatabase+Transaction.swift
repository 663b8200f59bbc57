extension RecordDatabase {
    /// Reads and writes records without changes of other writers in between; starts again if one was faster.
    ///
    /// ```swift
    /// try await database.transaction { transaction in
    ///     var from = try await transaction.fetch(Account.self, named: "a")
    ///     var to = try await transaction.fetch(Account.self, named: "b")
    ///     from.balance -= 10
    ///     to.balance += 10
    ///     try await transaction.save(&from)
    ///     try await transaction.save(&to)
    /// }
    /// ```
    ///
    /// Nothing is locked. What the closure writes is committed in one batch when it returns, if no record that it has read
    /// has changed, and no record that it has not found is there now. Otherwise nothing is written: after a pause the
    /// closure is called again. So transactions have the same result as one after the other, as far as records are read
    /// by their IDs; a query or a list does not notice records that others add.
    ///
    /// If the closure throws, nothing is written. Its error is thrown if what it had read was still unchanged, since only
    /// then it tells something about the database; otherwise the closure is called again.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often to try at most; less than once is once. The pauses are those of
    ///     ``UpdateOptions/maximumAttempts``.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: Reads and writes. It may be called several times: apart from the database it should change nothing.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``RecordDatabaseError/conflict(client:server:)``,
    ///   ``RecordDatabaseError/unknownRecord(_:)`` or ``RecordDatabaseError/versionMismatch(_:expected:server:)`` when no
    ///   attempt is left; ``RecordDatabaseError/batchTooLarge(count:limit:)`` if more records were read and written than the
    ///   database takes at a time; `CancellationError` if the task is cancelled between two attempts; and what keeps the
    ///   database from reading and saving.
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
                // With records of different times in hand any error may come about.
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

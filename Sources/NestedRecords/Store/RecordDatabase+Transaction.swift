extension RecordDatabase {
    /// ``RecordStore/transaction(maximumAttempts:isolation:_:)`` for records.
    @discardableResult
    package func transaction<Result>(
        maximumAttempts: Int = 100, pause: RetryPause = RetryPause(), isolation: isolated (any Actor)? = #isolation,
        _ body: (RecordTransaction) async throws -> Result
    ) async throws -> Result {
        try require([.atomicBatches, .conditions, .missingConditions, .versionedDeletions], for: "a transaction")
        return try await RetryBudget.shared(RetryPolicy(attempts: maximumAttempts), isolation: isolation) {
            try await tryTransaction(maximumAttempts, pause, isolation: isolation, body)
        }
    }

    private func tryTransaction<Result>(
        _ maximumAttempts: Int, _ pause: RetryPause, isolation: isolated (any Actor)?,
        _ body: (RecordTransaction) async throws -> Result
    ) async throws -> Result {
        // A closure that changes what it has read with another store may do so in its first attempt only.
        let mostOwnConflicts = 3
        var (attempt, ownConflicts) = (1, 0)
        while true {
            let (transaction, writes) = (RecordTransaction(self), TransactionWrites())
            defer {
                transaction.end()
                writes.end()
            }
            let result: Result
            do {
                result = try await TransactionWrites.$current.withValue(
                    writes, operation: { try await body(transaction) }, isolation: isolation)
            } catch {
                // Records of different moments can cause any error.
                guard attempt < maximumAttempts, !(error is CancellationError),
                    let overtaken = await transaction.overtaken()
                else { throw error }
                ownConflicts = writes.hasCaused(overtaken) ? ownConflicts + 1 : 0
                guard ownConflicts < mostOwnConflicts, RetryBudget.takeAttempt() else { throw error }
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
                continue
            }
            do {
                try await transaction.commit()
                return result
            } catch let error as RecordDatabaseError where error.isOvertaken || error.isNewReference {
                ownConflicts = writes.hasCaused(error) ? ownConflicts + 1 : 0
                guard ownConflicts < mostOwnConflicts, attempt < maximumAttempts, RetryBudget.takeAttempt() else {
                    var error = error
                    error.hint =
                        ownConflicts > 0
                        ? "the closure of the transaction itself has changed this record with another store: "
                            + "it must use the store that it gets"
                        : "the transaction has made \(attempt.counted("attempt"))"
                    throw error
                }
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
            }
        }
    }
}

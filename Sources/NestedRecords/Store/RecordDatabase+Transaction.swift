extension RecordDatabase {
    /// ``RecordStore/transaction(maximumAttempts:isolation:_:)`` for records.
    @discardableResult
    package func transaction<Result>(
        maximumAttempts: Int = 100, pause: RetryPause = RetryPause(), isolation: isolated (any Actor)? = #isolation,
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
            } catch let error as RecordDatabaseError
                where (error.isOvertaken || error.isNewReference) && attempt < maximumAttempts
            {
                attempt += 1
                try await pause.wait(beforeAttempt: attempt)
            }
        }
    }
}

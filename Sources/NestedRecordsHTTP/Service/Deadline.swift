import NestedRecords

enum Deadline {
    /// Returns what a function returns within a time.
    ///
    /// - Parameters:
    ///   - time: The time after which the function is cancelled.
    ///   - body: The function.
    ///   - late: Makes the error for a function that was cancelled.
    static func within<Result: Sendable>(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> Result,
        orThrow late: @escaping @Sendable () -> any Error
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: time.asPause)
                throw late()
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

/// The result of work in a thread that runs no tasks, for which one task waits.
///
/// The result goes through a lock and not through the continuation: the thread sanitizer does not see that the task
/// continues after a resumption that comes before the task waits, and takes each use of the result for a race.
package struct Promise<Success: Sendable>: Sendable {
    private let result: Lock<Result<Success, any Error>?>
    private let continuation: CheckedContinuation<Void, Never>

    /// Waits for the result, also if the task is cancelled.
    ///
    /// - Parameter begin: Called once. The promise that it gets must be resumed exactly once, in any thread.
    package static func result(_ begin: (Self) -> Void) async throws -> Success {
        let result = Lock<Result<Success, any Error>?>(nil)
        await withCheckedContinuation { begin(Self(result: result, continuation: $0)) }
        // It is stored before the resumption.
        guard let result = result.take() else { throw CancellationError() }
        return try result.get()
    }

    /// Delivers the result.
    package func resume(with result: Result<Success, any Error>) {
        self.result.withLock { $0 = result }
        continuation.resume()
    }
}

/// How often and how long a store repeats a call.
///
/// One budget serves a call and all calls within it: a transaction, its commit in a scope, and the claims of unique values
/// in it share the attempts and the deadline.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts of a call that other writers overtake, or that the database refuses for now.
    public var attempts: Int

    /// The time after which no further attempt begins; nil for no limit.
    public var deadline: Duration?

    /// Whether a call that the database refused for now is repeated: an error that ``ClassifiedError/isTransient``.
    ///
    /// The pauses are at least ``RecordDatabaseError/retryAfter``. A commit whose outcome is unknown is settled by
    /// ``RecordDatabase/outcome(of:)``, where the database has outcomes.
    public var repeatsTransientErrors: Bool

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, at least one.
    ///   - deadline: The time after which no further attempt begins; nil for no limit.
    ///   - repeatsTransientErrors: Whether a call that the database refused for now is repeated.
    public init(attempts: Int = 100, deadline: Duration? = nil, repeatsTransientErrors: Bool = false) {
        (self.attempts, self.deadline, self.repeatsTransientErrors) = (
            max(1, attempts), deadline, repeatsTransientErrors
        )
    }

    /// Calls a closure again, after pauses, while its errors are of a kind and the policy says so.
    func repeating<Result>(
        _ pause: RetryPause, where isRepeated: (RecordDatabaseError) -> Bool, _ body: () async throws -> Result
    ) async throws -> Result {
        guard repeatsTransientErrors else { return try await body() }
        return try await RetryBudget.shared(self) {
            var attempt = 1
            while true {
                do {
                    return try await body()
                } catch let error as RecordDatabaseError where isRepeated(error) {
                    attempt += 1
                    let wait = pause.duration(beforeAttempt: attempt, atLeast: error.retryAfter)
                    guard attempt <= attempts, RetryBudget.takeAttempt(after: wait) else { throw error }
                    try await pause.sleep(wait)
                }
            }
        }
    }

    /// One attempt.
    static let once = RetryPolicy(attempts: 1)
}

extension RecordDatabase {
    /// The policy for calls that other writers overtake: that of the store, or of the database.
    var retryPolicy: RetryPolicy { limits.retries ?? RetryPolicy() }
}

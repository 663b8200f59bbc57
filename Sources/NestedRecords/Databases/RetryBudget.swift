/// The attempts and the time of a call that tries again, which the calls within it share.
///
/// Otherwise they multiply: a transaction commits in a scope, which tries again, and settles claims of unique values, which
/// tries again.
final class RetryBudget: Sendable {
    @TaskLocal private static var current: RetryBudget?

    /// The retries that are left; nil after the end of the call, when a task that it has started may still run.
    private let left: Lock<Int?>

    /// When no further attempt begins; nil for no limit.
    private let end: ContinuousClock.Instant?

    private init(_ policy: RetryPolicy) {
        left = Lock(max(1, policy.attempts) - 1)
        end = policy.deadline.map { ContinuousClock.now.advanced(by: $0) }
    }

    /// Calls a closure with the budget of the call around it, or else with a new one.
    ///
    /// - Parameters:
    ///   - policy: The policy of a new budget.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: The closure. It asks ``takeAttempt(after:)`` before each attempt but the first.
    static func shared<Result>(
        _ policy: RetryPolicy, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        if let current, current.left.withLock({ $0 != nil }) { return try await body() }
        let budget = RetryBudget(policy)
        defer { budget.left.withLock { $0 = nil } }
        return try await $current.withValue(budget, operation: body, isolation: isolation)
    }

    /// Takes an attempt; false if none is left, or if it would begin after the deadline.
    ///
    /// - Parameter pause: The time before the attempt.
    static func takeAttempt(after pause: Duration = .zero) -> Bool {
        guard let current else { return true }
        if let end = current.end, ContinuousClock.now.advanced(by: pause) >= end { return false }
        return current.left.withLock { left in
            // A task that outlives the call around it has only the limits of its own loops.
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
    }
}

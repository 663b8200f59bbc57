/// The attempts of a call that tries again, which the calls within it share.
///
/// Otherwise they multiply: a transaction commits in a scope, which tries again, and settles claims of unique values, which
/// tries again.
final class RetryBudget: Sendable {
    @TaskLocal private static var current: RetryBudget?

    /// The retries that are left; nil after the end of the call, when a task that it has started may still run.
    private let left: Lock<Int?>

    private init(attempts: Int) { left = Lock(max(1, attempts) - 1) }

    /// Calls a closure with the budget of the call around it, or else with a new one.
    ///
    /// - Parameters:
    ///   - attempts: The attempts of a new budget.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - body: The closure. It asks ``takeAttempt()`` before each attempt but the first.
    static func shared<Result>(
        attempts: Int = 100, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        if let current, current.left.withLock({ $0 != nil }) { return try await body() }
        let budget = RetryBudget(attempts: attempts)
        defer { budget.left.withLock { $0 = nil } }
        return try await $current.withValue(budget, operation: body, isolation: isolation)
    }

    /// Takes an attempt; false if none is left.
    static func takeAttempt() -> Bool {
        guard let current else { return true }
        return current.left.withLock { left in
            // A task that outlives the call around it has only the limits of its own loops.
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
    }
}

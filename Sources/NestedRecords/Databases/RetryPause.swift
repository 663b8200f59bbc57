/// A random pause before another attempt.
///
/// Writers that retry at once keep colliding.
package struct RetryPause: Sendable {
    let sleep: @Sendable (Duration) async throws -> Void

    /// Returns the fraction of the longest pause to wait, 0 to 1.
    private let share: @Sendable () -> Double

    package init(
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        share: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        (self.sleep, self.share) = (sleep, share)
    }

    package func wait(beforeAttempt attempt: Int, atLeast least: Duration? = nil) async throws {
        try await sleep(duration(beforeAttempt: attempt, atLeast: least))
    }

    /// A random pause before an attempt, at least as long as the database asks for.
    func duration(beforeAttempt attempt: Int, atLeast least: Duration? = nil) -> Duration {
        max(Self.longest(beforeAttempt: attempt) * share(), least ?? .zero)
    }

    /// The longest pause before an attempt: 2 ms before the second one, doubled with each up to two seconds.
    static func longest(beforeAttempt attempt: Int) -> Duration {
        .milliseconds(min(1 << min(attempt - 1, 11), 2_000))
    }
}

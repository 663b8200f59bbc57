/// Wakes those who wait.
///
/// Nobody misses a ring that follows the condition that was checked while the waiter was added.
package final class Doorbell: Sendable {
    private struct State {
        var ringCount: UInt64 = 0
        var waiters: [ObjectIdentifier: Promise<Void>] = [:]
    }

    private let state = Lock(State())

    package init() {}

    /// How often it has rung.
    package var ringCount: UInt64 { state.withLock { $0.ringCount } }

    /// How many wait.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Wakes all who wait.
    package func ring() {
        let waiters = state.withLock { state in
            state.ringCount &+= 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(with: .success(())) }
    }

    /// Waits for the next ring.
    ///
    /// - Parameter isDue: Called once the ring cannot be missed any more; true if there is nothing to wait for.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func wait(unless isDue: @Sendable () -> Bool) async throws {
        try Task.checkCancellation()
        let promise = Promise<Void>()
        let id = ObjectIdentifier(promise)
        state.withLock { $0.waiters[id] = promise }
        defer { state.withLock { $0.waiters[id] = nil } }
        if isDue() { return }
        try await promise.valueUnlessCancelled()
    }

    /// Waits until it has rung more often, or for a time.
    ///
    /// - Parameters:
    ///   - count: How often it had rung when nothing was due.
    ///   - time: How long to wait at most.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func wait(after count: UInt64, atMost time: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Task.sleep(for: time.asPause) }
            group.addTask { [self] in try await wait { ringCount != count } }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// Wakes waiting tasks.
///
/// A waiter misses no ring after its condition was checked, because it is registered by then.
package final class Doorbell: Sendable {
    private struct State {
        var ringCount: UInt64 = 0
        var waiters: [ObjectIdentifier: Promise<Void>] = [:]
    }

    private let state = Lock(State())

    package init() {}

    package var ringCount: UInt64 { state.withLock { $0.ringCount } }

    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    package func ring() {
        let waiters = state.withLock { state in
            state.ringCount &+= 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(with: .success(())) }
    }

    /// Waits for the next ring; throws `CancellationError` if the task is cancelled.
    ///
    /// `isDue` is called once the next ring cannot be missed, and returns true if there is no reason to wait.
    package func wait(unless isDue: @Sendable () -> Bool) async throws {
        try Task.checkCancellation()
        let promise = Promise<Void>()
        let id = ObjectIdentifier(promise)
        state.withLock { $0.waiters[id] = promise }
        defer { state.withLock { $0.waiters[id] = nil } }
        if isDue() { return }
        try await promise.valueUnlessCancelled()
    }

    /// Waits until the bell has rung more often than `count` times, at most for a time.
    package func wait(after count: UInt64, atMost time: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Task.sleep(for: time.asPause) }
            group.addTask { [self] in try await wait { ringCount != count } }
            try await group.next()
            group.cancelAll()
        }
    }
}

extension Duration {
    /// This duration as one to sleep for: at least a millisecond, at most a year, because a sleep of centuries traps.
    package var asPause: Duration { min(max(self, .milliseconds(1)), .seconds(365 * 86_400)) }

    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

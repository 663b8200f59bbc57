/// Wakes those who wait.
///
/// Nobody misses a ring that follows the condition that was checked while the waiter was added.
package final class Doorbell: Sendable {
    private struct State {
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastNumber: UInt64 = 0

        /// Those that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
    }

    private let state = Lock(State())

    package init() {}

    /// Wakes all who wait.
    package func ring() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Waits for the next ring.
    ///
    /// - Parameter isDue: Called once the ring cannot be missed any more; true if there is nothing to wait for.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func wait(unless isDue: @Sendable () -> Bool) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else if isDue() {
                    take(number)?.resume()
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.cancelled.insert(number) }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
        _ = state.withLock { $0.cancelled.remove(number) }
    }

    private func take(_ number: UInt64) -> CheckedContinuation<Void, any Error>? {
        state.withLock { $0.waiters.removeValue(forKey: number) }
    }
}

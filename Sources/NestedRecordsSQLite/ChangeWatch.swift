#if SQLite
import NestedRecords

/// Wakes those who wait for changes: at once for those of this database, from time to time for those of other processes.
final class ChangeWatch: Sendable {
    private struct State {
        var ringCount: UInt64 = 0
        var waiterCount = 0
        var alarm: Task<Void, Never>?
    }

    private let state = Lock(State())
    private let doorbell = Doorbell()
    private let interval: Duration

    var waiterCount: Int { state.withLock { $0.waiterCount } }

    init(interval: Duration) { self.interval = interval.asPause }

    /// Wakes all who wait.
    func ring() {
        state.withLock { $0.ringCount &+= 1 }
        doorbell.ring()
    }

    /// Waits until the closure returns true, which is asked again after each ring.
    ///
    /// SQLite does not report the changes of other processes, so that all who wait are woken at each interval, together.
    ///
    /// - Throws: What the closure throws, and `CancellationError` if the task is cancelled.
    func wait(until hasChanged: () async throws -> Bool) async throws {
        begin()
        defer { end() }
        while true {
            try Task.checkCancellation()
            let count = state.withLock { $0.ringCount }
            if try await hasChanged() { return }
            // A ring since the closure was asked is not missed.
            try await doorbell.wait { state.withLock { $0.ringCount != count } }
        }
    }

    private func begin() {
        state.withLock { state in
            state.waiterCount += 1
            if state.alarm != nil { return }
            state.alarm = Task { [weak self, interval] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: interval)
                    self?.ring()
                }
            }
        }
    }

    private func end() {
        state.withLock { state in
            state.waiterCount -= 1
            if state.waiterCount > 0 { return }
            state.alarm?.cancel()
            state.alarm = nil
        }
    }
}
#endif

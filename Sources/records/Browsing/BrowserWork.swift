import NestedRecords

/// Reading for a full screen, which the escape key stops.
final class BrowserWork {
    private let screen: FullScreen

    /// Keys that were pressed during the work.
    private var keys: [Key] = []

    init(on screen: FullScreen) { self.screen = screen }

    /// Waits for an event; first for the keys that were pressed during the work.
    func event() async -> FullScreen.Event { keys.isEmpty ? await screen.event() : .key(keys.removeFirst()) }

    /// Forgets the keys that were pressed and not handled.
    func dropKeys() {
        keys = []
        screen.dropKeys()
    }

    /// Runs a closure.
    ///
    /// - Parameter showing: Shows that the work goes on, if it takes long.
    /// - Throws: `CancellationError` if the work is stopped, and errors of the closure.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result, showing: () -> Void
    ) async throws -> Result {
        let waker = screen.waker
        let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
        let task = Task {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            waker.wake()
        }
        let start = ContinuousClock.now
        let drawing = Task {
            // Shorter work shows nothing.
            try await Task.sleep(for: .milliseconds(300))
            waker.wake()
        }
        defer { drawing.cancel() }
        while true {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            if ContinuousClock.now - start > .milliseconds(250) { showing() }
            let event = await screen.event()
            guard case .key(let key) = event, key != .escape, key != .control("c") else {
                if event == .wake, !Task.isCancelled { continue }
                if event == .resize { continue }
                task.cancel()
                throw CancellationError()
            }
            keys.append(key)
        }
    }
}

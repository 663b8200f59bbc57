import TestSupport

/// The end of a process, thrown into the call in which it waits.
struct Crash: Error {}

/// A process of the simulation: it waits at each call until the simulation lets it go on.
final class Strand: Sendable {
    private struct State {
        var parked: CheckedContinuation<Void, any Error>?
        var observer: CheckedContinuation<Void, Never>?
        var isFinished = false
        var isCrashed = false
        var error: (any Error)?
    }

    private let state = Locked(State())

    var isFinished: Bool { state.withLock { $0.isFinished } }
    var error: (any Error)? { state.withLock { $0.error } }

    /// Begins the process, and returns when it waits for the first time.
    func start(_ body: @escaping @Sendable () async throws -> Void) async {
        await withCheckedContinuation { observer in
            state.withLock { $0.observer = observer }
            Task {
                var failure: (any Error)?
                do { try await body() } catch { failure = error }
                let observer = state.withLock { state in
                    (state.isFinished, state.error) = (true, failure)
                    defer { state.observer = nil }
                    return state.observer
                }
                observer?.resume()
            }
        }
    }

    /// Waits, in the process, until the simulation lets it go on.
    func park() async throws {
        try await withCheckedThrowingContinuation { (parked: CheckedContinuation<Void, any Error>) in
            let (observer, isCrashed) = state.withLock { state in
                if state.isCrashed { return (nil as CheckedContinuation<Void, Never>?, true) }
                state.parked = parked
                defer { state.observer = nil }
                return (state.observer, false)
            }
            if isCrashed { parked.resume(throwing: Crash()) }
            observer?.resume()
        }
    }

    /// Lets the process go on to its next call or its end.
    func step() async { await resume(with: .success(())) }

    /// Ends the process where it waits.
    func crash() async {
        state.withLock { $0.isCrashed = true }
        await resume(with: .failure(Crash()))
    }

    private func resume(with result: Result<Void, any Error>) async {
        await withCheckedContinuation { observer in
            let parked = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                if state.isFinished { return nil }
                state.observer = observer
                defer { state.parked = nil }
                return state.parked
            }
            if let parked { parked.resume(with: result) } else { observer.resume() }
        }
    }
}

/// A result that one task waits for; the first thread that has one delivers it.
///
/// The result goes through a lock and not through the continuation: the thread sanitizer does not see a resumption
/// before the task waits, and reports each use of the result as a race.
package final class Promise<Success: Sendable>: Sendable {
    private struct State {
        var result: Result<Success, any Error>?
        var isKept = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Delivers the first result, and drops later ones; returns whether it was the first.
    @discardableResult
    package func resume(with result: consuming Result<Success, any Error>) -> Bool {
        var delivered: Result<Success, any Error>? = result
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            if state.isKept { return (false, nil) }
            state.isKept = true
            // Moved: a waiter that changes a result in place must be its only owner when it continues.
            swap(&state.result, &delivered)
            return (true, state.waiter)
        }
        waiter?.resume()
        return isFirst
    }

    /// Waits for the result, even if the task is cancelled.
    package func value() async throws -> Success {
        await withCheckedContinuation { continuation in
            let isKept = state.withLock { state in
                if !state.isKept { state.waiter = continuation }
                return state.isKept
            }
            if isKept { continuation.resume() }
        }
        // Taken out: the result may hold the last reference to an object that the caller wants to release.
        let result = state.withLock { state in
            defer { state.result = nil }
            return state.result
        }
        guard let result else { throw CancellationError() }
        return try result.get()
    }

    /// Waits for the result; throws `CancellationError` if the task is cancelled before there is one.
    package func valueUnlessCancelled() async throws -> Success {
        try await withTaskCancellationHandler {
            try await value()
        } onCancel: {
            resume(with: .failure(CancellationError()))
        }
    }

    /// Waits for the result of an operation that the closure starts, even if the task is cancelled.
    package static func result(_ begin: (Promise) -> Void) async throws -> Success {
        let promise = Promise()
        begin(promise)
        return try await promise.value()
    }
}

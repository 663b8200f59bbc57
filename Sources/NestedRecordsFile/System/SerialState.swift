import Dispatch
import NestedRecords

/// State that one closure at a time uses, in a queue: so no lock is held while a closure reads and writes files.
final class SerialState<State: Sendable>: Sendable {
    let queue: DispatchQueue

    // Only the closure that the queue runs changes it. The lock is for the compiler and the thread sanitizer, and is held
    // only to copy the state.
    private let state: Lock<State>

    init(_ state: State, label: String) {
        self.state = Lock(state)
        queue = DispatchQueue(label: "NestedRecords.FileRecordDatabase.\(label)")
    }

    private func withState<Result>(_ work: (inout State) throws -> Result) rethrows -> Result {
        var state = state.withLock { $0 }
        defer { self.state.withLock { [state] in $0 = state } }
        return try work(&state)
    }

    /// Runs a closure after those before it.
    ///
    /// The owner is released before the result is delivered: who waits for it may have held the last reference to the
    /// database, and may open its file again at once.
    func async<Owner: AnyObject & Sendable, Result>(
        _ owner: Owner, qos: DispatchQoS = .unspecified,
        _ work: @escaping @Sendable (Owner, inout State) -> Result, then answer: @escaping @Sendable (Result) -> Void
    ) {
        let owner = Lock<Owner?>(owner)
        queue.async(qos: qos, flags: qos == .unspecified ? [] : .enforceQoS) { [self] in
            guard let result = owner.take().map({ owner in withState { work(owner, &$0) } }) else { return }
            answer(result)
        }
    }

    /// Runs a closure after those before it, while the task waits.
    func run<Owner: AnyObject & Sendable, Success: Sendable>(
        _ owner: Owner, _ work: @escaping @Sendable (Owner, inout State) throws -> Success
    ) async throws -> Success {
        try await Promise.result { promise in
            async(
                owner, { owner, state in Result { try work(owner, &state) } }, then: { promise.resume(with: $0) })
        }
    }

    /// Runs a closure after those before it, while the thread waits: one that runs no tasks.
    func sync<Result>(_ work: (inout State) throws -> Result) rethrows -> Result {
        try queue.sync { try withState(work) }
    }
}

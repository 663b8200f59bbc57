import Dispatch
@_spi(Engines) import NestedRecords

/// State that one closure at a time uses, in a queue: no lock is held while a closure reads and writes files.
final class SerialState<State: Sendable>: Sendable {
    private let thread: BlockingQueue
    var queue: DispatchQueue { thread.queue }

    // Only the closure that the queue runs changes it. The lock satisfies the compiler and the thread sanitizer, and is
    // held only to copy the state.
    private let state: Lock<State>

    init(_ state: State, label: String) {
        self.state = Lock(state)
        thread = BlockingQueue(label: "NestedRecords.FileRecordDatabase.\(label)")
    }

    private func withState<Result>(_ work: (inout State) throws -> Result) rethrows -> Result {
        var state = state.withLock { $0 }
        defer { self.state.withLock { [state] in $0 = state } }
        return try work(&state)
    }

    /// Runs a closure after the earlier ones, and then the closure that it returns.
    ///
    /// The owner is released before that: it may hold the last reference to the database, which the caller may open
    /// again at once.
    func async<Owner: AnyObject & Sendable>(
        _ owner: Owner, priority: TaskPriority,
        _ work: @escaping @Sendable (Owner, inout State) -> () -> Void
    ) {
        let owner = Lock<Owner?>(owner)
        thread.enqueue(priority: priority) { [self] in
            owner.take().map { owner in withState { work(owner, &$0) } }?()
        }
    }

    func run<Success: Sendable>(
        _ work: @escaping @Sendable (inout State) throws -> Success
    ) async throws -> Success {
        try await thread.run { [self] in try withState(work) }
    }

    /// Runs a closure after the earlier ones, while the thread waits: a thread that runs no tasks.
    func sync<Result>(_ work: (inout State) throws -> Result) rethrows -> Result {
        try queue.sync { try withState(work) }
    }
}

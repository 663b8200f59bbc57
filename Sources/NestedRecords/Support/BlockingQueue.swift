#if canImport(Dispatch)
import Dispatch

/// A thread of its own for what waits for a file, a server or another process, one after the other, so that Swift's tasks
/// keep theirs.
///
/// A serial queue: on Linux a concurrent one runs on the threads that tasks run on.
package final class BlockingQueue: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs the closure behind what was to be done before, which gets the priority of this task if that is higher.
    package func enqueue(_ body: @escaping @Sendable () -> Void) {
        queue.async(qos: Task.currentPriority.service, flags: .enforceQoS, execute: body)
    }

    /// Runs the closure, to its end also if the task is cancelled.
    package func run<Success: Sendable>(
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        try await Promise.result { promise in enqueue { promise.resume(with: Result { try body() }) } }
    }

    // MARK: As the executor of an actor

    package func enqueue(_ job: UnownedJob) {
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

extension TaskPriority {
    /// The class that Dispatch has for it.
    fileprivate var service: DispatchQoS {
        if self >= .high { return .userInitiated }
        if self >= .medium { return .default }
        return self >= .low ? .utility : .background
    }
}
#endif

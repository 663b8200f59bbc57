package import Dispatch

/// A dedicated thread for work that waits for a file, a server or another process, so that it does not block Swift's
/// threads.
///
/// A serial queue: on Linux a concurrent one runs on the threads that tasks run on.
package final class BlockingQueue: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs the closure after the queued work, which is raised to this priority if its own is lower.
    package func enqueue(priority: TaskPriority = Task.currentPriority, _ body: @escaping @Sendable () -> Void) {
        queue.async(qos: priority.service, flags: .enforceQoS, execute: body)
    }

    /// Runs the closure, to its end also if the task is cancelled.
    package func run<Success: Sendable>(
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        try await Promise.result { promise in
            // Released before the caller continues: it may hold the last reference to a database, which is opened again.
            let work = Lock<(@Sendable () throws -> Success)?>(body)
            enqueue {
                guard let result = work.take().map({ body in Result { try body() } }) else { return }
                promise.resume(with: consume result)
            }
        }
    }

    /// Runs long work in a thread of its own; `checkGoesOn` throws once the task is cancelled.
    package static func runAlone<Success: Sendable>(
        _ body: @escaping @Sendable (_ checkGoesOn: () throws -> Void) throws -> Success
    ) async throws -> Success {
        try Task.checkCancellation()
        let isCancelled = Lock(false)
        return try await withTaskCancellationHandler {
            try await BlockingQueue(label: "NestedRecords.long").run {
                try body { if isCancelled.withLock({ $0 }) { throw CancellationError() } }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    // MARK: As the executor of an actor

    package func enqueue(_ job: UnownedJob) {
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

extension LeastBusy<BlockingQueue> {
    /// Runs the closure in the thread that has the least work, to its end also if the task is cancelled.
    package func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
        try await run { thread, _ in try await thread.run(body) }
    }
}

extension TaskPriority {
    fileprivate var service: DispatchQoS {
        if self >= .high { return .userInitiated }
        if self >= .medium { return .default }
        return self >= .low ? .utility : .background
    }
}

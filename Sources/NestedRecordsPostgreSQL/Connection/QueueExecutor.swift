#if PostgreSQL
import Dispatch

/// Runs an actor's jobs in a queue of its own, so that waiting for a server blocks no thread that other tasks need.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: UnownedJob) {
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
#endif

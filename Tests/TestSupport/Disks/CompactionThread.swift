package import Dispatch
import NestedRecords
import NestedRecordsFile

/// The thread in which a database is compacted: what it calls, apart from the calls that saves make then.
package final class CompactionThread: Sendable {
    private static let key = DispatchSpecificKey<Bool>()

    private let calls = Lock(0)

    /// - Parameter queue: The queue in which the database compacts.
    package init(queue: DispatchQueue) {
        queue.setSpecific(key: Self.key, value: true)
    }

    /// The number of the call that is being made; nil if another thread makes it.
    package func nextCall() -> Int? {
        guard DispatchQueue.getSpecific(key: Self.key) == true else { return nil }
        return calls.withLock { count in
            count += 1
            return count - 1
        }
    }

    /// How many calls there were.
    package var callCount: Int { calls.withLock { $0 } }

    /// Runs an operation to its end, in a thread that belongs to no task.
    ///
    /// - Returns: What it threw.
    package static func wait(for operation: @escaping @Sendable () async throws -> Void) -> (any Error)? {
        let done = DispatchSemaphore(value: 0)
        let failure = Lock<(any Error)?>(nil)
        // Released before the caller continues: it may hold the last reference to a database.
        let operation = Lock<(@Sendable () async throws -> Void)?>(operation)
        Task.detached {
            do { try await operation.take()?() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        return failure.withLock { $0 }
    }
}

import Dispatch

@testable import NestedRecords
@testable import NestedRecordsFile

extension FileRecordDatabase {
    /// Returns when no compaction is under way.
    func compactionHasEnded() async {
        await withCheckedContinuation { continuation in
            store.compactionGroup.notify(queue: store.queue) { continuation.resume() }
        }
    }
}

/// The thread in which a database is compacted: what it calls, apart from the calls that saves make meanwhile.
final class CompactionThread: Sendable {
    private static let key = DispatchSpecificKey<Bool>()

    private let calls = Lock(0)

    init(of database: FileRecordDatabase) {
        database.store.compactionQueue.setSpecific(key: Self.key, value: true)
    }

    /// The number of the call that is being made; nil if another thread makes it.
    func nextCall() -> Int? {
        guard DispatchQueue.getSpecific(key: Self.key) == true else { return nil }
        return calls.withLock { count in
            count += 1
            return count - 1
        }
    }

    /// How many calls there were.
    var callCount: Int { calls.withLock { $0 } }

    /// Runs an operation to its end, in a thread that belongs to no task.
    ///
    /// - Returns: What it threw.
    static func wait(for operation: @escaping @Sendable () async throws -> Void) -> (any Error)? {
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

/// Holds a compaction at a call until it is let go.
final class HeldCompaction: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let isHeld = Lock(false)

    init(of database: FileRecordDatabase, on disk: SimulatedDisk, at call: Int) {
        let thread = CompactionThread(of: database)
        disk.plan { [gate, isHeld] _, _ in
            if thread.nextCall() == call {
                isHeld.withLock { $0 = true }
                gate.wait()
            }
            return nil
        }
    }

    func hasBegun() async {
        while !isHeld.withLock({ $0 }) { await Task.yield() }
    }

    func letGo() { gate.signal() }
}

import Dispatch
import TestSupport

@testable import NestedRecords
@testable import NestedRecordsFile

extension CompactionThread {
    convenience init(of database: FileRecordDatabase) { self.init(queue: database.store.compactor.queue) }
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

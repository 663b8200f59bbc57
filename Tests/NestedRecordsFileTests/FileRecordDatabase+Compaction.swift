import Dispatch

@testable import NestedRecordsFile

extension FileRecordDatabase {
    /// Returns when no compaction is under way.
    func compactionHasEnded() async {
        await withCheckedContinuation { continuation in
            store.compactor.group.notify(queue: store.writer.queue) { continuation.resume() }
        }
    }
}

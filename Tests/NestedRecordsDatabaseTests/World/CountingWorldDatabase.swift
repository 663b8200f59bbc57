import NestedRecords
import TestSupport

/// Counts the calls that fetch, and what they ask for.
final class CountingWorldDatabase: RecordDatabase {
    private let base = InMemoryRecordDatabase()
    private let requests = Locked<[[Record.ID]]>([])

    var fetchCalls: [[Record.ID]] { requests.withLock { $0 } }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        requests.withLock { $0.append(ids) }
        return try await base.records(for: ids)
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await base.commit(batch)
    }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}

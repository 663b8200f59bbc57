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

    func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
    ) async throws -> [Record.ID: Record.Metadata] {
        try await base.modifyRecords(saving: records, deleting: ids, savePolicy: savePolicy)
    }

    func records(ofType type: String?) -> RecordSequence { base.records(ofType: type) }
}

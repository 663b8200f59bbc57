import NestedRecords
import TestSupport

/// Records that can only be fetched, and what was asked for.
final class CountingDatabase: RecordDatabase {
    private let stored: [Record.ID: Record]
    private let requests = Locked<[Record.ID]>([])

    /// The IDs that were asked for, in order.
    var fetched: [Record.ID] { requests.withLock { $0 } }

    /// Holds records of which each has another ID.
    init(_ records: [Record]) {
        stored = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var limits: RecordDatabaseLimits { RecordDatabaseLimits(batchCount: 400) }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        guard ids.count <= batchLimit else {
            throw RecordDatabaseError(.batchTooLarge, .size(ids.count, limit: batchLimit))
        }
        requests.withLock { $0 += ids }
        return ids.compactMap { stored[$0] }
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        throw RecordDatabaseError(.batchTooLarge, .size(batch.count, limit: 0))
    }

    func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence(stored.values.filter { type == nil || $0.id.type == type })
    }
}

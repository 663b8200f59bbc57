import NestedRecords
import Synchronization

/// Notes the calls of a database.
final class WatchedDatabase: RecordDatabase {
    private let base: InMemoryRecordDatabase
    private let asked = Mutex((calls: 0, ids: [Record.ID]()))

    init(_ graph: RecordGraph) async throws {
        base = InMemoryRecordDatabase()
        try await base.save(graph, savePolicy: .overwrite)
    }

    /// The calls since the last reset, and the number of records fetched more than once.
    func takeCounts() -> (calls: Int, repeated: Int) {
        asked.withLock { asked in
            defer { asked = (0, []) }
            return (asked.calls, asked.ids.count - Set(asked.ids).count)
        }
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        asked.withLock {
            $0.calls += 1
            $0.ids += ids
        }
        return try await base.records(for: ids)
    }

    func storedRecords(ofType: String?) -> RecordSequence { RecordSequence([]) }

    func commit(_ batch: RecordBatch) throws -> [Record.ID: Record.Metadata] {
        throw ReadOnly()
    }
}

import NestedRecords
import TestSupport

/// A database that notes what each commit changed, lets others write before one, and fails where a test wants it to.
final class WatchedDatabase: RecordDatabase {
    struct Failure: Error {}

    /// A record before and after a commit.
    struct Transition {
        let id: Record.ID
        let old: Record?
        let new: Record?
    }

    let base: InMemoryRecordDatabase
    var capabilities: RecordCapabilities { .all }
    private let noted = Locked<[Transition]>([])
    private let countdown = Locked<Int?>(nil)

    init(batchLimit: Int) { base = InMemoryRecordDatabase(batchLimit: batchLimit, now: TickingClock().now) }

    var limits: RecordDatabaseLimits { base.limits }

    /// Lets the n-th call from now fail; nil for none.
    func fail(atCall number: Int?) { countdown.withLock { $0 = number } }

    /// What was changed since the last time.
    func takeTransitions() -> [Transition] {
        noted.withLock { noted in
            defer { noted = [] }
            return noted
        }
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try countCall()
        return try await base.records(for: ids)
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try countCall()
        let old = try await base.allRecords
        let saved = try await base.commit(batch)
        let new = try await base.allRecords
        noted.withLock { noted in
            for id in batch.saves.map(\.id) + batch.deletions.map(\.id) {
                noted.append(Transition(id: id, old: old[id], new: new[id]))
            }
        }
        return saved
    }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }

    private func countCall() throws {
        let isFailing = countdown.withLock { countdown in
            guard let left = countdown else { return false }
            countdown = left > 1 ? left - 1 : nil
            return left == 1
        }
        if isFailing { throw Failure() }
    }
}

import NestedRecords
import Synchronization

/// Counts the records that are fetched by their IDs.
struct FetchedDatabase<Base: RecordDatabase & RecordFeed>: RecordDatabase, RecordFeed {
    let base: Base
    private let fetched = Counter()

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    init(base: Base) { self.base = base }

    /// The number of records fetched since the last reset.
    var count: Int { fetched.count.withLock { $0 } }

    func forget() { fetched.count.withLock { $0 = 0 } }

    var limits: RecordDatabaseLimits { base.limits }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        let found = try await base.records(for: ids)
        fetched.count.withLock { $0 += found.count }
        return found
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }

    func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await base.storedChanges(since: token, limit: limit)
    }

    func waitForChanges(after token: ChangeToken) async throws { try await base.waitForChanges(after: token) }
}

import NestedRecords
import TestSupport

/// A database whose reading a test can let fail, and hold up; its feed is that of the base.
final class SwitchedDatabase: RecordDatabase {
    private let base: any RecordDatabase
    private let gate: Gate?
    private let isFailing = Locked(false)

    init(_ base: any RecordDatabase, gate: Gate? = nil) { (self.base, self.gate) = (base, gate) }

    var fails: Bool {
        get { isFailing.withLock { $0 } }
        set { isFailing.withLock { $0 = newValue } }
    }

    var feed: (any RecordFeed)? { base.feed }
    var capabilities: RecordCapabilities { base.capabilities }

    private func pass() async throws {
        await gate?.wait()
        if fails { throw RecordDatabaseError(.notConnected) }
    }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try await pass()
        return try await base.records(for: ids)
    }

    func page(_ query: RecordQuery) async throws -> RecordPage {
        try await pass()
        return try await base.page(query)
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await pass()
        return try await base.commit(batch)
    }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}

import NestedRecords

/// A database that hands all calls on to one in memory, but for those that a test wants to see or to disturb.
protocol ForwardingDatabase: RecordDatabase, RecordFeed {
    var base: InMemoryRecordDatabase { get }
}

extension ForwardingDatabase {
    var capabilities: RecordCapabilities { base.capabilities }

    func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }

    func page(_ query: RecordQuery) async throws -> RecordPage { try await base.page(query) }

    func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await base.storedChanges(since: token, limit: limit)
    }

    func waitForChanges(after token: ChangeToken) async throws { try await base.waitForChanges(after: token) }
}

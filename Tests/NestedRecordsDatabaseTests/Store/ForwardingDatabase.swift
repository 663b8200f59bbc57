import NestedRecords

/// A database that hands all calls on to one in memory, but for those that a test wants to see or to disturb.
protocol ForwardingDatabase: ObservableRecordDatabase {
    var base: InMemoryRecordDatabase { get }
}

extension ForwardingDatabase {
    var checksReferrers: Bool { base.checksReferrers }

    func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

    func records(ofType type: String?) -> RecordSequence { base.records(ofType: type) }

    func page(_ query: RecordQuery) async throws -> RecordPage { try await base.page(query) }

    func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await base.changes(since: token, limit: limit)
    }

    func waitForChanges(after token: ChangeToken) async throws { try await base.waitForChanges(after: token) }
}

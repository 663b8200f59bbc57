/// The feed of a database that changes how commits are made, and not what is read.
struct CommittingFeed: ForwardingRecordDatabase, ObservableRecordDatabase {
    let baseFeed: any ObservableRecordDatabase

    /// The database that commits.
    let committing: any RecordDatabase

    var base: any RecordDatabase { baseFeed }
    var feed: (any ObservableRecordDatabase)? { self }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await committing.commit(batch)
    }

    func changeToken() async throws -> ChangeToken { try await baseFeed.changeToken() }

    func oldestChangeToken() async throws -> ChangeToken { try await baseFeed.oldestChangeToken() }

    func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await baseFeed.changes(since: token, limit: limit)
    }

    func waitForChanges(after token: ChangeToken) async throws { try await baseFeed.waitForChanges(after: token) }
}

import NestedRecords

/// A database with its feed, for requirements that use both.
struct FollowedDatabase: ForwardingRecordDatabase, RecordFeed {
    let base: any RecordDatabase
    let source: any RecordFeed
    var feed: (any RecordFeed)? { source }
    var database: any RecordDatabase { source.database }

    func changeToken() async throws -> ChangeToken { try await source.changeToken() }

    func oldestChangeToken() async throws -> ChangeToken { try await source.oldestChangeToken() }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await source.storedChanges(since: token, limit: limit)
    }

    func waitForChanges(after token: ChangeToken) async throws { try await source.waitForChanges(after: token) }
}

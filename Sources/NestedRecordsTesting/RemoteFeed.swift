@_spi(Engines) import NestedRecords

/// The feed of a ``FaultyRemoteDatabase``, whose pages have a part of a batch unless it can deliver whole ones.
///
/// The token of a part has the token before the batch, that of the batch, and the last ID of the part. If a record of the
/// batch has changed since, it comes with its later batch; if all have, the batch is a different one, and is
/// read from its beginning.
struct RemoteFeed: RecordFeed {
    let server: RemoteServer
    var database: any RecordDatabase { FaultyRemoteDatabase(server) }

    /// The bytes of a token of the database in memory.
    private static let tokenSize = 16

    private static let partSize = 2

    func changeToken() async throws -> ChangeToken {
        try await server.arrive()
        return try await server.memory.changeToken()
    }

    func oldestChangeToken() async throws -> ChangeToken {
        try await server.arrive()
        return try await server.memory.oldestChangeToken()
    }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        try await server.arrive()
        if server.options.capabilities.contains(.wholeBatchesInFeed) {
            return try await server.memory.storedChanges(since: token, limit: limit)
        }
        let start = try ChangeToken(store: token.store, payload: Array(token.payload.prefix(Self.tokenSize)))
        let batch = Array(token.payload.dropFirst(Self.tokenSize).prefix(Self.tokenSize))
        let last = String(decoding: token.payload.dropFirst(2 * Self.tokenSize), as: UTF8.self)
        var page = try await server.memory.storedChanges(since: start, limit: 1)
        if !last.isEmpty, batch == page.token.payload {
            let last = try Record.ID(last)
            page.saved.removeAll { $0.id <= last }
            page.deleted.removeAll { $0 <= last }
        }
        let ids = (page.saved.map(\.id) + page.deleted).sorted()
        let count = min(max(1, limit), Self.partSize)
        guard ids.count > count else { return page }
        let end = ids[count - 1]
        page.saved.removeAll { $0.id > end }
        page.deleted.removeAll { $0 > end }
        page.isComplete = false
        page.token = try ChangeToken(
            store: token.store, payload: start.payload + page.token.payload + Array(end.description.utf8))
        return page
    }

    /// Never called: the feed is polled.
    func waitForChanges(after token: ChangeToken) async throws {}
}

extension RecordFeed {
    /// The changes after a token, page by page.
    ///
    /// ```swift
    /// for try await changes in feed.changes(since: token, ofTypes: ["Book"]) {
    ///     send(changes.saved, changes.deleted)
    ///     store(changes.token)
    /// }
    /// ```
    ///
    /// The sequence does not end: after the last change it waits for the next one.
    ///
    /// - Parameters:
    ///   - token: The token of the last known change; ``changeToken()`` for changes from now on.
    ///   - types: The record types; nil for all.
    ///   - limit: The number of records after which a page ends, at least one.
    /// - Returns: The sequence of pages, which are not empty. Reading throws the errors of ``changes(since:limit:including:)``,
    ///   and `CancellationError`.
    public func changes(
        since token: ChangeToken, ofTypes types: Set<String>?, limit: Int = 1_000
    ) -> DatabaseSequence<RecordChanges> {
        DatabaseSequence { ChangePages(feed: self, types: types, limit: limit, token: token) }
    }
}

private struct ChangePages: AsyncIteratorProtocol {
    let feed: any RecordFeed
    let types: Set<String>?
    let limit: Int
    var token: ChangeToken
    var mustWait = false

    mutating func next() async throws -> RecordChanges? {
        var pause = IdlePause()
        while true {
            try Task.checkCancellation()
            if mustWait { try await feed.waitForChanges(after: token) }
            var changes = try await feed.changes(since: token, limit: limit)
            token = changes.token
            mustWait = changes.isComplete
            if let types {
                changes.saved.removeAll { !types.contains($0.id.type) }
                changes.deleted.removeAll { !types.contains($0.type) }
                changes.departed.removeAll { !types.contains($0.type) }
            }
            if !changes.isEmpty { return changes }
            if mustWait { try await pause.wait() }
        }
    }
}

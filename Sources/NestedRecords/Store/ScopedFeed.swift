/// The feed of a scope: a record that is outside now is a deletion, and so is each deleted record of a type with a rule.
struct ScopedFeed: ForwardingRecordDatabase, ObservableRecordDatabase {
    let scope: ScopedRecordDatabase
    let rules: ScopeRules
    let baseFeed: any ObservableRecordDatabase
    var base: any RecordDatabase { scope }
    var feed: (any ObservableRecordDatabase)? { self }

    func changeToken() async throws -> ChangeToken { try await baseFeed.changeToken() }

    func oldestChangeToken() async throws -> ChangeToken { try await baseFeed.oldestChangeToken() }

    func changes(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        var changes = try await baseFeed.changes(since: token, limit: limit)
        let saved = changes.saved.filter { rules.hasRule(of: $0.id.type) }
        changes.saved = try saved.filter(rules.shows)
        let shown = Set(changes.saved.map(\.id))
        changes.deleted = changes.deleted.filter { rules.hasRule(of: $0.type) }
        changes.deleted += saved.map(\.id).filter { !shown.contains($0) }
        return changes
    }

    func waitForChanges(after token: ChangeToken) async throws { try await baseFeed.waitForChanges(after: token) }
}

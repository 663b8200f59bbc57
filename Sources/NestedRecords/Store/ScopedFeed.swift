/// The feed of a scope: a record that is outside now is a deletion, and so is each deleted record of a type with a rule.
struct ScopedFeed: RecordFeed {
    let base: any RecordFeed
    let rules: ScopeRules

    /// The scope over the database of the base's feed.
    let database: any RecordDatabase

    func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    func oldestChangeToken() async throws -> ChangeToken { try await base.oldestChangeToken() }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        var changes = try await base.storedChanges(since: token, limit: limit)
        let saved = changes.saved.filter { rules.hasRule(of: $0.id.type) }
        changes.saved = try saved.filter(rules.shows)
        let shown = Set(changes.saved.map(\.id))
        changes.deleted = changes.deleted.filter { rules.hasRule(of: $0.type) }
        changes.deleted += saved.map(\.id).filter { !shown.contains($0) }
        return changes
    }

    func waitForChanges(after token: ChangeToken) async throws { try await base.waitForChanges(after: token) }
}

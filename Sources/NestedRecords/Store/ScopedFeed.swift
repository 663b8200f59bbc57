/// The feed for live values in a scope: a record that is outside now is a deletion, and so is each deleted record of a type
/// with a rule.
///
/// It names records outside, so no caller outside the library gets it.
struct ScopedFeed: RecordFeed {
    let base: any RecordFeed
    let rules: ScopeRules

    /// The scope over the database of the base's feed.
    let database: any RecordDatabase

    func changeToken() async throws -> ChangeToken { try await base.changeToken() }

    func oldestChangeToken() async throws -> ChangeToken { try await base.oldestChangeToken() }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        var changes = try await base.storedChanges(since: token, limit: limit)
        // The contents of a changed container may have come or gone.
        let containers = rules.containerTypes
        changes.left += (changes.saved.map(\.id) + changes.deleted).filter { containers.contains($0.type) }
        let saved = changes.saved.filter { rules.hasRule(of: $0.id.type) }
        if containers.isEmpty {
            changes.saved = try saved.filter { try rules.shows($0) }
        } else {
            changes.saved = try await database.presentRecords(for: saved.map(\.id))
        }
        let shown = Set(changes.saved.map(\.id))
        changes.deleted = changes.deleted.filter { rules.hasRule(of: $0.type) }
        changes.departed = changes.departed.filter { rules.hasRule(of: $0.type) }
        changes.deleted += saved.map(\.id).filter { !shown.contains($0) }
        return changes
    }

    func waitForChanges(after token: ChangeToken) async throws { try await base.waitForChanges(after: token) }
}

import NestedRecords
import TestSupport

extension DatabaseFault {
    static let feeds = [
        reporting(
            "tells the same again", violates: "reports what was saved since a token",
            saying: "come again with the next token"
        ) { base, token, limit in
            // The token that the requirement begins with is right.
            let earlier = ChangeToken(store: token.store, position: max(token.position, 2) - 1)
            return try await base.changes(since: earlier, limit: limit)
        },
        reporting(
            "tells of records without metadata", violates: "reports what was saved since a token",
            saying: "came back with other metadata"
        ) { base, token, limit in
            var changes = try await base.changes(since: token, limit: limit)
            for index in changes.saved.indices { changes.saved[index].metadata = nil }
            return changes
        },
        reporting(
            "forgets deletions", violates: "reports what was deleted since a token",
            saying: "the feed lacks the deleted record Sample/gone"
        ) { base, token, limit in
            var changes = try await base.changes(since: token, limit: limit)
            changes.deleted = []
            return changes
        },
        reporting(
            "ends a page in the middle of a batch", violates: "splits no batch between pages of changes",
            saying: "changes of a batch of 3"
        ) { base, token, limit in
            var changes = try await base.changes(since: token, limit: limit)
            if limit == 1, changes.saved.count == 2 { changes.saved.removeLast() }
            return changes
        },
        reporting(
            "takes no notice of the limit", violates: "splits no batch between pages of changes",
            saying: "a page with the limit -1 has 15 changes"
        ) { base, token, _ in try await base.changes(since: token, limit: 100) },
        reporting(
            "says too early that all is reported", violates: "shows one moment with all pages up to the last",
            saying: "the pages up to the last one have a record of round"
        ) { base, token, limit in
            var changes = try await base.changes(since: token, limit: limit)
            changes.isComplete = true
            return changes
        },
        reporting(
            "gives a token of a later moment than the page",
            violates: "has every change of eight writers, from token to token",
            saying: "the feed lacks the saved record Sample/"
        ) { base, token, limit in
            var changes = try await base.changes(since: token, limit: 1)
            let later = try await base.changes(since: changes.token, limit: 1)
            (changes.token, changes.isComplete) = (later.token, later.isComplete)
            return changes
        },
        DatabaseFault(
            "has an old copy of records at times", violates: "never goes back to an older state of a record",
            saying: "was reported as of round"
        ) {
            let reported = Locked<[Record.ID: [Record]]>([:])
            var database = BrokenDatabase()
            database.feed = { base, token, limit in
                var changes = try await base.changes(since: token, limit: limit)
                changes.saved = changes.saved.map { record in
                    reported.withLock { reported in
                        reported[record.id, default: []].append(record)
                        // The first state again, where two others have followed.
                        return reported[record.id].flatMap { $0.count > 2 ? $0.first : nil } ?? record
                    }
                }
                return changes
            }
            return database
        },
        DatabaseFault(
            "takes each token once", violates: "continues from a token repeatedly, also from its text",
            saying: "the changes since the token differ when read again"
        ) {
            let used = Locked<Set<ChangeToken>>([])
            var database = BrokenDatabase()
            database.feed = { base, token, limit in
                if used.withLock({ $0.insert(token).inserted }) {
                    return try await base.changes(since: token, limit: limit)
                }
                return RecordChanges(token: try await base.changeToken(), isComplete: true)
            }
            return database
        },
        DatabaseFault(
            "notes what it saves before it checks", violates: "reports nothing of a refused batch",
            saying: "the feed wrongly says that Sample/new was deleted"
        ) {
            BrokenDatabase(modify: { base, call in
                do {
                    return try await call.perform(in: base)
                } catch {
                    let new = call.saves.filter { $0.id.name == "new" }
                    try await ModifyCall(saves: new, deletes: [], policy: .overwrite).perform(in: base)
                    try await ModifyCall(saves: [], deletes: new.map(\.id), policy: .overwrite).perform(in: base)
                    throw error
                }
            })
        },
    ]

    private static func reporting(
        _ description: String, violates requirement: String, saying explanation: String,
        _ feed: @escaping @Sendable (BrokenDatabase.Base, ChangeToken, Int) async throws -> RecordChanges
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: explanation) {
            var database = BrokenDatabase()
            database.feed = feed
            return database
        }
    }
}

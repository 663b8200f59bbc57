import NestedRecords
import TestSupport

extension DatabaseFault {
    static let waiting = [
        hanging(
            "never rings", violates: "ends a wait when something has changed", saying: "a wait did not end after a save"
        ) { _, _, clock in
            clock.jump()
            await closed.wait()
        },
        hanging(
            "waits for the next change, whatever the token", violates: "ends a wait when something has changed",
            saying: "a wait did not end"
        ) { base, token, clock in
            let now = try await base.changeToken()
            if now != token { clock.jump() }
            try await base.waitForChanges(after: now)
        },
        waiting(
            "ends for system records", violates: "goes on with a wait while only system records change",
            saying: "a wait ended although only a system record was saved"
        ) { base, token in
            while try await base.storedChanges(since: token, limit: 1).isEmpty {
                try await Task.sleep(for: .milliseconds(1))
            }
        },
        hanging(
            "takes no notice of a cancellation", violates: "ends a wait when its task is cancelled",
            saying: "a wait did not end when its task was cancelled"
        ) { _, _, clock in
            clock.jump()
            await closed.wait()
        },
        waiting(
            "fails when it is cancelled", violates: "ends a wait when its task is cancelled",
            saying: "a wait whose task was cancelled threw: Malfunction()"
        ) { base, token in
            do { try await base.waitForChanges(after: token) } catch { throw Malfunction() }
        },
    ]

    static let tokens = [
        DatabaseFault(
            "looks at the position alone", violates: "refuses the token of another database",
            saying: "reading on from the token was not refused"
        ) {
            var database = BrokenDatabase()
            database.feed = { base, token, limit in
                let own = ChangeToken(store: try await base.changeToken().store, position: token.position)
                return try await base.changes(since: own, limit: limit)
            }
            return database
        },
        DatabaseFault(
            "takes a later token for the present one", violates: "refuses a token that it has never returned",
            saying: "reading on from the token was not refused"
        ) {
            var database = BrokenDatabase()
            database.feed = { base, token, limit in
                let now = try await base.changeToken()
                return try await base.changes(since: token.position > now.position ? now : token, limit: limit)
            }
            return database
        },
        DatabaseFault(
            "forgets deletions when it is closed", violates: "continues from a token after it was opened again",
            saying: "the feed lacks the deleted record Sample/gone"
        ) {
            var database = BrokenDatabase()
            database.reopen = { database in
                var database = database
                database.feed = { base, token, limit in
                    var changes = try await base.changes(since: token, limit: limit)
                    changes.deleted = []
                    return changes
                }
                return database
            }
            return database
        },
        DatabaseFault(
            "does not notice what it has forgotten",
            violates: "refuses a token from before deletions that it has forgotten",
            saying: "the deletion of Sample/gone is missing from the feed, and no error was thrown"
        ) {
            var database = BrokenDatabase()
            database.feed = { base, token, limit in
                var changes = try await base.changes(since: token, limit: limit)
                if changes.deleted.count > 1 { changes.deleted = [] }
                return changes
            }
            return database
        },
        DatabaseFault(
            "takes the beginning for the oldest place", violates: "knows what has changed since its oldest token",
            saying: "the change token is too old"
        ) {
            var database = BrokenDatabase(base: InMemoryRecordDatabase(maximumDeletionCount: 50))
            database.oldest = { ChangeToken(store: try await $0.changeToken().store, position: 0) }
            return database
        },
    ]

    /// A gate that is never opened.
    private static let closed = Gate()

    /// Something that may wait for ever, before which the clock jumps.
    private static func hanging(
        _ description: String, violates requirement: String, saying explanation: String,
        _ wait: @escaping @Sendable (BrokenDatabase.Base, ChangeToken, StoppedClock) async throws -> Void
    ) -> DatabaseFault {
        let clock = StoppedClock()
        var fault = waiting(description, violates: requirement, saying: explanation) { try await wait($0, $1, clock) }
        fault.clock = clock
        return fault
    }

    private static func waiting(
        _ description: String, violates requirement: String, saying explanation: String,
        _ wait: @escaping @Sendable (BrokenDatabase.Base, ChangeToken) async throws -> Void
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: explanation) {
            var database = BrokenDatabase()
            database.wait = wait
            return database
        }
    }
}

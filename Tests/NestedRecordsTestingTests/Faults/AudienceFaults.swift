import NestedRecords
import TestSupport

extension DatabaseFault {
    static let audiences = [
        following(
            "keeps silent about departures", violates: "reports to a reader what they see and no longer see",
            saying: "instead of [\"departed a\", \"deleted c\"]"
        ) { $0.changes.departed = [] },
        following(
            "takes a departure for a deletion", violates: "reports to a reader what they see and no longer see",
            saying: "[\"deleted c\", \"deleted a\"] instead of"
        ) { page in
            page.changes.deleted += page.changes.departed
            page.changes.departed = []
        },
        DatabaseFault(
            "leaves out departures of records that exist",
            violates: "reports to a reader a record that left and was changed again",
            saying: "reports [] instead of"
        ) {
            keeping { base, view, token, limit in
                var page = try await base.changes(of: view, since: token, limit: limit)
                let present = Set(try await base.records(for: page.changes.departed).map(\.id))
                page.changes.departed.removeAll(where: present.contains)
                return page
            }
        },
        following(
            "does not list what is in a new container",
            violates: "lists the contents of a container that a reader has joined",
            saying: "reports [\"saved p\"] instead of"
        ) { page in
            if page.listing == nil { return }
            page.listing = nil
            page.changes.isComplete = true
        },
        following(
            "keeps silent about left containers",
            violates: "names a container that a reader has left, and not its contents",
            saying: "reports [\"saved 1\"] instead of"
        ) { $0.changes.left = [] },
        DatabaseFault(
            "forgets departures when it is closed",
            violates: "goes on with the feed of a reader after it was opened again",
            saying: "reports [\"saved c\"] instead of"
        ) {
            var database = keeping { try await $0.changes(of: $1, since: $2, limit: $3) }
            database.reopen = { database in
                var again = database
                again.followReader = { base, view, token, limit in
                    var page = try await base.changes(of: view, since: token, limit: limit)
                    (page.changes.departed, page.changes.deleted) = ([], [])
                    return page
                }
                return again
            }
            return database
        },
        DatabaseFault(
            "wakes a reader for everybody's changes",
            violates: "goes on with a reader's wait while strangers' records change",
            saying: "a wait ended although only strangers' records were saved"
        ) {
            var database = keeping { try await $0.changes(of: $1, since: $2, limit: $3) }
            database.waitForReader = { base, _, token in try await base.waitForChanges(after: token.base) }
            return database
        },
        DatabaseFault(
            "gives a token without a declaration",
            violates: "refuses the feed of a reader whose audience is not declared", saying: "the feed was not refused"
        ) {
            var database = keeping { try await $0.changes(of: $1, since: $2, limit: $3) }
            database.readerToken = { base, _ in try await base.changeToken() }
            return database
        },
    ]

    private static func keeping(
        _ follow:
            @escaping @Sendable (BrokenDatabase.Base, AudienceView, AudienceToken, Int) async throws -> AudienceChanges
    ) -> BrokenDatabase {
        var database = BrokenDatabase()
        database.capabilities.insert(.audiences)
        database.followReader = follow
        return database
    }

    private static func following(
        _ description: String, violates requirement: String, saying explanation: String,
        _ distort: @escaping @Sendable (inout AudienceChanges) -> Void
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: explanation) {
            keeping { base, view, token, limit in
                var page = try await base.changes(of: view, since: token, limit: limit)
                distort(&page)
                return page
            }
        }
    }
}

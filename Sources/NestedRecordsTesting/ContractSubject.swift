import NestedRecords

/// A database to check, and further operations that requirements need.
struct ContractSubject: Sendable {
    let database: any RecordDatabase

    /// Closes the database and opens it again; nil if that is not possible.
    private let reopening: (@Sendable () async throws -> ContractSubject)?

    /// Makes the database forget which records were deleted; nil if that is not possible.
    let forgetDeletions: (@Sendable () async throws -> Void)?

    init<Database: RecordDatabase>(
        _ database: Database, reopening reopen: (@Sendable (Database) async throws -> Database)? = nil,
        forgettingDeletions forgetDeletions: (@Sendable (Database) async throws -> Void)? = nil
    ) {
        self.database = database
        reopening = reopen.map { reopen in
            { @Sendable in
                ContractSubject(try await reopen(database), reopening: reopen, forgettingDeletions: forgetDeletions)
            }
        }
        self.forgetDeletions = forgetDeletions.map { forget in { @Sendable in try await forget(database) } }
    }

    /// The database with its feed; nil if it has none.
    var feed: FollowedDatabase? { database.feed.map { FollowedDatabase(base: database, source: $0) } }

    func reopened() async throws -> ContractSubject? { try await reopening?() }
}

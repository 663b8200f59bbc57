import NestedRecords

/// A database to check, and what can be done to it besides calling it.
struct ContractSubject: Sendable {
    let database: any RecordDatabase

    /// Closes the database and opens it again; nil if that cannot be done.
    private let reopening: (@Sendable () async throws -> ContractSubject)?

    /// Has the database forget which records were deleted; nil if that cannot be done.
    let forgetDeletions: (@Sendable () async throws -> Void)?

    init<Database: RecordDatabase>(
        _ database: Database, reopening reopen: (@Sendable (Database) async throws -> Database)? = nil,
        forgettingDeletions forgetDeletions: (@Sendable (Database) async throws -> Void)? = nil
    ) {
        self.database = database
        if let reopen {
            reopening = {
                ContractSubject(
                    try await reopen(database), reopening: reopen, forgettingDeletions: forgetDeletions)
            }
        } else {
            reopening = nil
        }
        if let forgetDeletions {
            self.forgetDeletions = { try await forgetDeletions(database) }
        } else {
            self.forgetDeletions = nil
        }
    }

    /// The database as one that tells what has changed; nil if it does not.
    var feed: (any ObservableRecordDatabase)? { database as? any ObservableRecordDatabase }

    /// The database after it was closed and opened again; nil if that cannot be done.
    func reopened() async throws -> ContractSubject? { try await reopening?() }
}

public import NestedRecords

/// One obligation of every database, and how to find out whether a database meets it.
public struct RecordDatabaseRequirement: Sendable {
    /// What every database does, in a few words; no two requirements have one name.
    public let name: String

    private let body: @Sendable (ContractSubject) async throws -> Void

    init(_ name: String, body: @escaping @Sendable (any RecordDatabase) async throws -> Void) {
        self.init(name) { (subject: ContractSubject) in try await body(subject.database) }
    }

    /// A requirement of databases that tell what has changed; others meet it.
    init(ofFeeds name: String, body: @escaping @Sendable (any ObservableRecordDatabase) async throws -> Void) {
        self.init(name) { (subject: ContractSubject) in
            guard let database = subject.database as? any ObservableRecordDatabase else { return }
            try await body(database)
        }
    }

    init(_ name: String, subject body: @escaping @Sendable (ContractSubject) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Finds out whether a database meets this requirement.
    ///
    /// - Parameter database: An empty database. It holds some records afterwards.
    /// - Throws: ``ContractViolation`` if the database does something else, and `CancellationError` if the task is
    ///   cancelled.
    public func check(_ database: some RecordDatabase) async throws { try await check(ContractSubject(database)) }

    /// Finds out whether a database meets this requirement, also if it is about a database that was closed and opened
    /// again, or about one that has forgotten what was deleted.
    ///
    /// - Parameters:
    ///   - database: An empty database. It holds some records afterwards.
    ///   - reopen: Closes a database and opens it again; nil if there is nothing to open, and requirements about it count
    ///     as met.
    ///   - forgetDeletions: Has a database forget which records were deleted so far; nil if it cannot be told to, and
    ///     requirements about it count as met. It may save and delete other records than those of the type `Sample`.
    /// - Throws: ``ContractViolation`` if the database does something else, and `CancellationError` if the task is
    ///   cancelled.
    public func check<Database: RecordDatabase>(
        _ database: Database, reopening reopen: (@Sendable (Database) async throws -> Database)?,
        forgettingDeletions forgetDeletions: (@Sendable (Database) async throws -> Void)? = nil
    ) async throws {
        try await check(ContractSubject(database, reopening: reopen, forgettingDeletions: forgetDeletions))
    }

    private func check(_ subject: ContractSubject) async throws {
        do {
            try await body(subject)
        } catch let error as CancellationError {
            throw error
        } catch let unmet as UnmetExpectation {
            throw ContractViolation(requirement: name, explanation: unmet.explanation)
        } catch {
            throw ContractViolation(requirement: name, explanation: "the database threw an error: \(error)")
        }
    }
}

extension RecordDatabaseRequirement: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

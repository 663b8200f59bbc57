public import NestedRecords

/// One requirement of every database, and its check.
public struct RecordDatabaseRequirement: Sendable {
    /// The behaviour of every database, in a few words; each requirement has a different name.
    public let name: String

    /// The capabilities without which a database cannot meet it.
    public let neededCapabilities: RecordCapabilities

    private let body: @Sendable (ContractSubject) async throws -> Void

    init(
        _ name: String, needs capabilities: RecordCapabilities = [],
        body: @escaping @Sendable (any RecordDatabase) async throws -> Void
    ) {
        self.init(name, needs: capabilities) { (subject: ContractSubject) in try await body(subject.database) }
    }

    /// A requirement of databases with a feed of changes; others meet it.
    init(
        ofFeeds name: String, needs capabilities: RecordCapabilities = [],
        body: @escaping @Sendable (FollowedDatabase) async throws -> Void
    ) {
        self.init(name, needs: capabilities) { (subject: ContractSubject) in
            guard let database = subject.feed else { return }
            try await body(database)
        }
    }

    init(
        _ name: String, needs capabilities: RecordCapabilities = [],
        subject body: @escaping @Sendable (ContractSubject) async throws -> Void
    ) {
        (self.name, neededCapabilities, self.body) = (name, capabilities, body)
    }

    /// Checks whether a database meets this requirement, including requirements about a database that was reopened, or
    /// that has forgotten deletions.
    ///
    /// - Parameters:
    ///   - database: An empty database. It holds some records afterwards.
    ///   - reopen: Closes a database and opens it again; if nil, requirements about that count as met.
    ///   - forgetDeletions: Makes a database forget all deletions so far; if nil, requirements about that count as met.
    ///     It may save and delete records, except those of the type `Sample`.
    ///
    /// A requirement that needs a capability which the database lacks is skipped, and a line says so.
    ///
    /// - Throws: ``ContractViolation`` if the database does not meet it, and `CancellationError` if the task is
    ///   cancelled.
    public func check<Database: RecordDatabase>(
        _ database: Database, reopening reopen: (@Sendable (Database) async throws -> Database)? = nil,
        forgettingDeletions forgetDeletions: (@Sendable (Database) async throws -> Void)? = nil
    ) async throws {
        let missing = neededCapabilities.subtracting(database.capabilities)
        if !missing.isEmpty { return print("skipped: '\(name)' needs \(missing)") }
        do {
            try await body(
                ContractSubject(database, reopening: reopen, forgettingDeletions: forgetDeletions))
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

public import NestedRecords

/// One obligation of every database, and how to find out whether a database meets it.
public struct RecordDatabaseRequirement: Sendable {
    /// What every database does, in a few words; no two requirements have one name.
    public let name: String

    private let body: @Sendable (any RecordDatabase) async throws -> Void

    init(_ name: String, body: @escaping @Sendable (any RecordDatabase) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Finds out whether a database meets this requirement.
    ///
    /// - Parameter database: An empty database. It holds some records afterwards.
    /// - Throws: ``ContractViolation`` if the database does something else, and `CancellationError` if the task is
    ///   cancelled.
    public func check(_ database: some RecordDatabase) async throws {
        do {
            try await body(database)
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

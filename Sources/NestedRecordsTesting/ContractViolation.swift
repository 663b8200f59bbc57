/// An error about a database that does not meet a requirement.
public struct ContractViolation: Error, Sendable, Hashable {
    /// The name of the unmet ``RecordDatabaseRequirement``.
    public let requirement: String

    /// What the database did instead.
    public let explanation: String

    /// Makes a violation.
    ///
    /// - Parameters:
    ///   - requirement: The name of the unmet requirement.
    ///   - explanation: What the database did instead.
    public init(requirement: String, explanation: String) {
        self.requirement = requirement
        self.explanation = explanation
    }
}

extension ContractViolation: CustomStringConvertible {
    /// The requirement and what happened, in one line.
    public var description: String { "a database \(requirement), but: \(explanation)" }
}

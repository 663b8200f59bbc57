/// A unique property of a record type, and what is wrong with one of its values.
public struct UniqueValueProblem: Sendable, Hashable {
    /// What is wrong.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Several records have the value.
        case duplicate

        /// A record has the value, and no claim keeps others from having it.
        case unclaimed

        /// A claim is no longer in force: its owner does not exist, or has another value.
        ///
        /// It prevents nothing, and occupies space.
        case unused
    }

    /// What is wrong.
    public let kind: Kind

    /// The record type.
    public let recordType: String

    /// The field of the property.
    public let field: String

    /// The records with the value; for ``Kind/unused`` the former owner.
    public let records: [Record.ID]
}

extension UniqueValueProblem: CustomStringConvertible {
    /// The problem in one line.
    public var description: String {
        switch kind {
        case .duplicate: "'\(field)' is unique, but has the same value in \(records.shortList)"
        case .unclaimed: "the value of '\(field)' in \(records.shortList) is unique, but has no claim"
        case .unused: "a claim on a value of '\(field)' is no longer in force: its owner was \(records.shortList)"
        }
    }
}

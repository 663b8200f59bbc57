public import NestedRecords

/// A field that a draft and another writer have changed to different values: one of them must be chosen.
public struct DraftConflict: Sendable, Hashable, Identifiable {
    /// Whose value of the field is saved.
    public enum Side: Sendable, Hashable, CaseIterable {
        /// The value of the draft.
        case mine

        /// The value that the other writer has saved.
        case theirs
    }

    /// The record of the field, that of the value or one that is nested in it.
    public let recordID: Record.ID

    /// The field, with the values of both sides and the one before: `client` is that of the draft.
    public let field: SaveConflict.Field

    /// The choice; nil as long as there is none.
    public var choice: Side?

    /// The record and the name of the field.
    public var id: [String] { ["\(recordID)", field.name] }
}

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What can go wrong when records are changed.
public enum RecordChangeError: Error, Sendable, Hashable {
    /// A record that was merged, or a value that was updated, has become another record.
    case identityChanged(from: Record.ID, to: Record.ID)

    /// A field was changed to different values on both sides, and nobody decided between them.
    case contestedField(SaveConflict.Field, in: Record.ID)
}

extension RecordChangeError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RecordChangeError: CustomStringConvertible {
    /// What happened, to which record and field, in one line.
    public var description: String {
        switch self {
        case .identityChanged(let old, let new):
            "the record \(old) was to be changed, and has become \(new)"
        case .contestedField(let field, let id):
            "the field \(field.name.asLabel) of record \(id) is \(Self.text(of: field.client)) in the record to save "
                + "and \(Self.text(of: field.server)) in the database's, and was \(Self.text(of: field.ancestor))"
        }
    }

    private static func text(of value: Record.Value?) -> String { value?.description ?? "absent" }
}

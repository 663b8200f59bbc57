/// A policy to merge a record to save with the version of another writer.
public struct MergePolicy: Sendable {
    let merge: @Sendable (SaveConflict) throws -> Record

    /// Makes a policy.
    ///
    /// - Parameter merge: Returns the record to save in place of a conflicting one, with the same ID.
    public init(_ merge: @escaping @Sendable (SaveConflict) throws -> Record) {
        self.merge = merge
    }

    /// Takes each field from the side that changed it, and throws `RecordError.Code.contestedField` if both
    /// sides did: ``SaveConflict/merged()``.
    public static let fieldwise = MergePolicy { try $0.merged() }
}

extension MergePolicy: CustomStringConvertible {
    /// The name of the type: a closure has no description.
    public var description: String { "MergePolicy" }
}

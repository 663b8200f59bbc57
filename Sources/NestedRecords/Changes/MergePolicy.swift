/// How to merge a record to save with the version that another writer has saved.
public struct MergePolicy: Sendable {
    let merge: @Sendable (SaveConflict) throws -> Record

    /// Makes a policy.
    ///
    /// - Parameter merge: Gives the record to save in place of one in conflict, with the same ID.
    public init(_ merge: @escaping @Sendable (SaveConflict) throws -> Record) {
        self.merge = merge
    }

    /// Takes each field from the side that changed it, and throws ``RecordChangeError/contestedField(_:in:)`` where
    /// both did: ``SaveConflict/merged()``.
    public static let fieldwise = MergePolicy { try $0.merged() }
}

extension MergePolicy: CustomStringConvertible {
    /// The name of the type: the closure says nothing of itself.
    public var description: String { "MergePolicy" }
}

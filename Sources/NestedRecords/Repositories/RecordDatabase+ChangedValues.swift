extension RecordDatabase {
    /// Encodes a value and saves the records that are new or changed.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - baseline: The records before the value was changed.
    ///   - encoder: How to encode it.
    ///   - savePolicy: What to do where the database holds another version.
    ///   - deletingRemoved: Whether to delete the baseline's records that are not in the value any more.
    ///   - isolation: The caller's isolation; the encoding happens there.
    /// - Returns: The new metadata of every record that was sent.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and
    ///   ``save(_:changedFrom:savePolicy:deletingRemoved:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ value: Root, changedFrom baseline: RecordGraph, encoder: RecordEncoder = RecordEncoder(),
        savePolicy: SavePolicy = .automatic, deletingRemoved: Bool = false,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Record.ID: Record.Metadata] {
        try await save(
            encoder.encode(value), changedFrom: baseline, savePolicy: savePolicy, deletingRemoved: deletingRemoved)
    }

    /// Encodes a value and saves its records, and asks what to save instead where the database holds another version.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - baseline: The records before the value was changed; nil saves all.
    ///   - encoder: How to encode it.
    ///   - savePolicy: What to do where the database holds another version. By default a record without a version is in
    ///     conflict with one that is there.
    ///   - deletingRemoved: Whether to delete the baseline's records that are not in the value any more.
    ///   - maximumAttempts: How often to try, 10 times by default; less than once is once.
    ///   - isolation: The caller's isolation; the encoding happens there, and the closure is called there.
    ///   - merge: Gives the record to save in place of one in conflict, with the same ID.
    /// - Returns: The graph as the database holds it now, with the merged records. The value does not have what was
    ///   merged: decode it anew.
    /// - Throws: The errors of ``RecordEncoder/encode(_:)-(Root)`` and
    ///   ``save(_:changedFrom:savePolicy:deletingRemoved:maximumAttempts:isolation:merging:)``.
    @discardableResult
    public func save<Root: RecordEncodable>(
        _ value: Root, changedFrom baseline: RecordGraph? = nil, encoder: RecordEncoder = RecordEncoder(),
        savePolicy: SavePolicy = .ifUnchanged, deletingRemoved: Bool = false, maximumAttempts: Int = 10,
        isolation: isolated (any Actor)? = #isolation, merging merge: (SaveConflict) async throws -> Record
    ) async throws -> RecordGraph {
        try await save(
            encoder.encode(value), changedFrom: baseline, savePolicy: savePolicy, deletingRemoved: deletingRemoved,
            maximumAttempts: maximumAttempts, isolation: isolation, merging: merge)
    }
}

/// Options of the `save` functions of ``RecordDatabase``.
///
/// ```swift
/// try await database.save(graph, options: SaveOptions(savePolicy: .overwrite))
/// ```
public struct SaveOptions: Sendable, Hashable {
    /// The policy for saves if the database holds another version.
    public var savePolicy: SavePolicy

    /// Whether to delete records that were read but are no longer part of the value or graph.
    ///
    /// Each must have the version that was read, unless the policy is ``SavePolicy/overwrite``; missing records are
    /// ignored. If another writer's change is merged, the records that it refers to are kept.
    ///
    /// Other records may still refer to the deleted ones. Without a baseline nothing is deleted.
    public var deletesRemovedRecords: Bool

    /// The maximum number of attempts if conflicts are merged, at least one.
    public var maximumAttempts: Int

    /// Makes options.
    ///
    /// - Parameters:
    ///   - savePolicy: The policy for saves if the database holds another version.
    ///   - deletesRemovedRecords: Whether to delete records that are no longer part of the value or graph.
    ///   - maximumAttempts: The maximum number of attempts if conflicts are merged.
    public init(
        savePolicy: SavePolicy = .ifUnchanged, deletesRemovedRecords: Bool = false, maximumAttempts: Int = 10
    ) {
        self.savePolicy = savePolicy
        self.deletesRemovedRecords = deletesRemovedRecords
        self.maximumAttempts = maximumAttempts
    }
}

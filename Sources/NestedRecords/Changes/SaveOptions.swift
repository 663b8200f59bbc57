/// How the `save` functions of a ``RecordDatabase`` save records.
///
/// ```swift
/// try await database.save(note, options: SaveOptions(savePolicy: .ifUnchanged))
/// ```
public struct SaveOptions: Sendable, Hashable {
    /// What to do where the database holds another version.
    ///
    /// Nil for the default: ``SavePolicy/automatic``, and ``SavePolicy/ifUnchanged`` where conflicts are merged, so
    /// that a record without a version is in conflict with one that is there.
    public var savePolicy: SavePolicy?

    /// Whether to delete the records that were read and are not part of the value or graph any more.
    ///
    /// Each must be in the version that was read, unless the policy is ``SavePolicy/overwrite``; one that is gone
    /// already is no error. A record that another writer's change refers to is kept where that change is merged.
    ///
    /// Other records may still refer to them. Without a baseline nothing is deleted.
    public var deletesRemovedRecords: Bool

    /// How often to try at most where conflicts are merged; less than once is once.
    public var maximumAttempts: Int

    /// Makes options.
    ///
    /// - Parameters:
    ///   - savePolicy: What to do where the database holds another version; nil for the default.
    ///   - deletesRemovedRecords: Whether to delete the records that are not part of the value or graph any more.
    ///   - maximumAttempts: How often to try at most where conflicts are merged.
    public init(savePolicy: SavePolicy? = nil, deletesRemovedRecords: Bool = false, maximumAttempts: Int = 10) {
        self.savePolicy = savePolicy
        self.deletesRemovedRecords = deletesRemovedRecords
        self.maximumAttempts = maximumAttempts
    }
}

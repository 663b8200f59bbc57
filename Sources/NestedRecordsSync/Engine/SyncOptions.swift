/// What is synchronized, and how.
public struct SyncOptions: Sendable {
    /// The record types that are synchronized; nil, the default, for all.
    ///
    /// When types are added, the next round compares all records. The records of a type that is left out stay where they
    /// are. Those of the library itself are never synchronized.
    ///
    /// A comparison of all records first looks for the types. A record file, SQLite and PostgreSQL have a list of them; of
    /// other databases all records are read once more, unless the types are given here.
    public var types: Set<String>?

    /// How records that changed on both sides are merged.
    public var rules = SyncRules()

    /// The number of records that are compared, sent and kept in memory at a time, at least one.
    ///
    /// Changes up to this number reach the other side in one batch, if its limits allow.
    public var pageSize = 1_000

    /// Makes options for all record types and with the default rules.
    public init() {}
}

/// What a synchronization did.
public struct SyncOutcome: Sendable, Hashable {
    /// The number of records that were saved in the local database.
    public internal(set) var savedCount = 0

    /// The number of records that were deleted in the local database.
    public internal(set) var deletedCount = 0

    /// The number of local changes that the remote database has applied.
    public internal(set) var pushedCount = 0

    /// The number of new conflicts.
    public internal(set) var conflictCount = 0

    /// The number of local changes that the remote database refused.
    public internal(set) var rejectedCount = 0

    /// Whether everything was carried over; false if the time was over, or if other writers were always faster.
    public internal(set) var isComplete = true

    /// Whether the changes reached the other side in several batches, so that a part of them could be seen alone.
    public internal(set) var isPartial = false

    /// Whether a database was written to, the ledger included.
    var hasWritten = false

    mutating func add(_ other: SyncOutcome) {
        savedCount += other.savedCount
        deletedCount += other.deletedCount
        pushedCount += other.pushedCount
        conflictCount += other.conflictCount
        rejectedCount += other.rejectedCount
        isComplete = isComplete && other.isComplete
        isPartial = isPartial || other.isPartial
        hasWritten = hasWritten || other.hasWritten
    }
}

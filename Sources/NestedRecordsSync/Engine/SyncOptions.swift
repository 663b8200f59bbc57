public import NestedRecords

/// What is synchronized, and how.
public struct SyncOptions: Sendable {
    /// The record types that are synchronized; nil, the default, for all.
    ///
    /// When types are added, the next round compares all records. The synchronized records of a type that is left out are
    /// removed from the local database, and stay in the remote one. Records with changes that were not sent stay, and are
    /// listed by ``RecordSync/rejected()``, as deletions that were not sent are. The records of the library itself are never
    /// synchronized. No types at all are refused.
    ///
    /// What is removed so is an ordinary deletion for another synchronization of the same local database, which sends it.
    ///
    /// A comparison of all records first looks for the types. A record file, SQLite and PostgreSQL have a list of them; of
    /// other databases all records are read once more, unless the types are given here.
    public var types: Set<String>?

    /// In which directions changes are carried over.
    public enum Direction: Sendable, Hashable {
        /// Both.
        case both

        /// From the remote database to the local one. Local changes stay, and are merged with those of the remote side.
        ///
        /// Nothing is written to the remote database. It needs no feed: without one each synchronization compares all
        /// records. That it was restored is recognized by the tokens of its feed alone.
        ///
        /// The rules ``FirstSync/pushLocal`` and ``Restored/pushLocal`` are refused with it.
        case pull
    }

    /// What the first synchronization does with the records of both sides.
    public enum FirstSync: Sendable, Hashable {
        /// A record that only one side has is added to the other; records that differ are contested as a whole.
        case merge

        /// It throws `RecordDatabaseError.Code.notEmpty` if both sides have records.
        case refuse

        /// The local side becomes as the remote one: other local records are lost.
        case takeRemote

        /// The remote side becomes as the local one: other remote records are lost.
        case pushLocal
    }

    /// What happens if the remote database was restored to an earlier state, or replaced by another database.
    public enum Restored: Sendable, Hashable {
        /// The synchronization throws `RecordDatabaseError.Code.restored`: the application decides.
        case stop

        /// As ``FirstSync/merge``: what is missing on one side was not deleted.
        case merge

        /// As ``FirstSync/takeRemote``: what the remote side does not have is lost.
        case takeRemote

        /// As ``FirstSync/pushLocal``: what the local side does not have is lost.
        case pushLocal
    }

    /// When the contents of assets that records of the remote database name are copied.
    public enum Contents: Sendable, Hashable {
        /// Before the records.
        case atOnce

        /// When they are read first, through ``RecordSync/assets``.
        ///
        /// Until then the local database has their names alone. The local database keeps its records itself: it is neither a
        /// scope nor a database over HTTP.
        case onFirstRead
    }

    /// When the contents of assets are copied to the local database; at once by default.
    ///
    /// Local ones are always sent before their records.
    public var contents = Contents.atOnce

    /// In which directions changes are carried over; both by default.
    public var direction = Direction.both

    /// What the first synchronization does with the records of both sides; it merges them by default.
    public var firstSync = FirstSync.merge

    /// What happens if the remote database was restored; the synchronization stops by default.
    public var restored = Restored.stop

    /// How records that changed on both sides are merged.
    public var rules = SyncRules()

    /// The fields with unique values, by record type.
    ///
    /// The values are claimed on each side in the batch of their records, and the claims are not carried over. The remote
    /// record keeps a value: a local record with the same value that was not sent yet stays as it is, without its claim,
    /// and its change is listed by ``RecordSync/rejected()``.
    ///
    /// For fields that are added later, `RecordStore.migrate(_:batchSize:isDryRun:progress:)` makes the claims of the records
    /// that both sides have already.
    public var uniqueFields: [String: Set<String>] = [:]

    /// Adds the unique properties of types to ``uniqueFields``.
    ///
    /// ```swift
    /// try options.keepUnique(Account.self)
    /// ```
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - coding: How their values are encoded.
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid.
    public mutating func keepUnique(
        _ types: any RecordRepresentable.Type..., coding: RecordCoding = RecordCoding()
    ) throws {
        for (type, fields) in try UniqueFields(of: types, coding).fieldsByType {
            uniqueFields[type, default: []].formUnion(fields)
        }
    }

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

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Records to save and to delete together, with required versions of other records.
///
/// A database applies the whole batch or nothing. All required versions refer to the state before the batch.
///
/// ```swift
/// var batch = RecordBatch(saving: [school])
/// batch.deletions = [RecordBatch.VersionedID(pupil.id, version: RecordBatch.Version(of: pupil))]
/// batch.conditions = [RecordBatch.VersionedID(director.id, version: RecordBatch.Version(of: director))]
/// try await database.commit(batch)
/// ```
public struct RecordBatch: Sendable, Hashable {
    /// The records to save.
    ///
    /// The change tag in a ``Record/metadata`` is the version that the save replaces.
    public var saves: [Record]

    /// The records to delete.
    ///
    /// Deleting a missing record has no effect, unless a version is required.
    public var deletions: [VersionedID]

    /// The records that stay unchanged and must have a certain version.
    public var conditions: [VersionedID]

    /// Records to which no record may refer once the batch is applied, except those listed and the record itself.
    ///
    /// An empty set for a record means that no other record refers to it. References and links count, in any field. A
    /// record that the database does not hold before the batch meets its condition: references to it dangle already.
    ///
    /// A database without ``RecordCapabilities/referrerConditions`` refuses such a batch.
    public var allowedReferrers: [Record.ID: Set<Record.ID>] = [:]

    /// The policy for saves if the database holds another version.
    public var savePolicy: SavePolicy

    /// The identifier by which ``RecordDatabase/outcome(of:)`` finds out what became of the batch; nil, the default,
    /// without one.
    ///
    /// ``makeID()`` makes it. A database with ``RecordCapabilities/outcomes`` applies only one batch of an identifier;
    /// other databases refuse a batch that has one.
    public var id: String?

    /// The records of ``allowedReferrers`` to which records outside a scope may refer; only a scope sees such records.
    package var allowedOutside: Set<Record.ID> = []

    /// Makes a batch.
    ///
    /// - Parameters:
    ///   - saves: The records to save.
    ///   - ids: The records to delete in whatever version the database holds; ``deletions`` can state a version.
    ///   - savePolicy: The policy for saves if the database holds another version.
    public init(
        saving saves: [Record] = [], deletingAnyVersionOf ids: [Record.ID] = [], savePolicy: SavePolicy = .ifUnchanged
    ) {
        self.saves = saves
        deletions = ids.map { VersionedID($0) }
        conditions = []
        self.savePolicy = savePolicy
    }

    /// Makes an identifier that no other batch has.
    ///
    /// - Returns: Letters, digits and a `-`; a later part is the time at which it was made.
    public static func makeID() -> String {
        let time = UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
        return String(UInt64.random(in: 1 ... .max), radix: 36) + "-" + String(time, radix: 36)
    }

    /// The random number of an identifier, and the time at which ``makeID()`` has made it; nil for another string.
    @_spi(Engines) public static func parts(ofID id: String) -> (number: UInt64, date: Date)? {
        let parts = id.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let number = UInt64(parts[0], radix: 36), let time = UInt64(parts[1], radix: 36) else {
            return nil
        }
        return (number, Date(timeIntervalSince1970: Double(time) / 1_000))
    }

    /// The number of saves, deletions and conditions, which ``RecordDatabaseLimits/batchCount`` limits; without
    /// ``allowedReferrers``.
    public var count: Int { saves.count + deletions.count + conditions.count }

    /// Whether there is nothing to do and nothing to check.
    public var isEmpty: Bool { count == 0 && allowedReferrers.isEmpty }
}

extension RecordBatch {
    /// The required version of a record in the database.
    public enum Version: Sendable, Hashable {
        /// Any version; the record may also be missing.
        case any

        /// No version: the database must not hold the record.
        case missing

        /// Any version: the database must hold the record.
        case exists

        /// The version with this change tag.
        case changeTag(String)

        /// The version in which a record was read; ``missing`` for one that was never saved.
        public init(of record: Record) {
            self = record.metadata.map { .changeTag($0.changeTag) } ?? .missing
        }
    }

    /// A record, and the version that the database must hold.
    public struct VersionedID: Sendable, Hashable {
        /// The record.
        public var id: Record.ID

        /// The required version.
        public var version: Version

        /// Makes the ID of a record in a version; in any version by default.
        public init(_ id: Record.ID, version: Version = .any) {
            self.id = id
            self.version = version
        }
    }
}

extension RecordBatch {
    /// Whether it changes other records than those that the library keeps for itself.
    package var changesRecordsOfCallers: Bool {
        saves.contains { !$0.id.isReserved } || deletions.contains { !$0.id.isReserved }
    }
}

extension RecordBatch {
    /// The declarations of audiences that it changes.
    package var declarations: [Record.ID] {
        saves.lazy.map(\.id).filter(\.isAudience) + deletions.lazy.map(\.id).filter(\.isAudience)
    }
}

extension RecordBatch.Version {
    /// Whether a database meets this requirement that holds a version of the record, or ``missing``.
    package func isMet(by stored: Self) -> Bool {
        switch self {
        case .any: true
        case .exists: stored != .missing
        case .missing, .changeTag: self == stored
        }
    }

    /// Throws `RecordDatabaseError.Code.versionMismatch` unless the database holds this version.
    package func check(_ id: Record.ID, stored: @autoclosure () throws -> Record?) throws {
        if self == .any { return }
        let stored = try stored()
        guard self == .exists ? stored != nil : isMet(by: stored.map { Self(of: $0) } ?? .missing) else {
            throw RecordDatabaseError(.versionMismatch, .versions(server: stored, expected: self), recordID: id)
        }
    }
}

extension RecordBatch.VersionedID {
    /// Deletes a record in the version in which it was read; in any version if that is unknown.
    init(removing record: Record) {
        self.init(record.id, version: record.metadata == nil ? .any : RecordBatch.Version(of: record))
    }
}

// MARK: Implementations of databases

extension RecordBatch {
    /// Returns the new versions of the records to save, for databases that follow the rules of ``SavePolicy``.
    ///
    /// - Parameters:
    ///   - date: The time of the save.
    ///   - changeTag: Returns a new change tag for each record.
    ///   - stored: Returns the version of a record in the database; nil if the record does not exist.
    /// - Returns: The records to store, with their new metadata, in the order of ``saves``.
    /// - Throws: `RecordDatabaseError.Code.conflict`, `RecordDatabaseError.Code.unknownRecord`,
    ///   `RecordDatabaseError.Code.versionMismatch`, and errors of the closures.
    @_spi(Engines) public func newVersions(
        date: Date, changeTag: () throws -> String, over stored: (Record.ID) throws -> Record?
    ) throws -> [Record] {
        try checkVersions(stored)
        return try saves.map { record in
            record.saved(
                as: try savePolicy.metadata(
                    of: record, replacing: stored(record.id), changeTag: changeTag(), date: date))
        }
    }

    /// Throws `RecordDatabaseError.Code.versionMismatch` unless the deletions and conditions have their
    /// required versions.
    package func checkVersions(_ stored: (Record.ID) throws -> Record?) throws {
        for deletion in deletions { try deletion.version.check(deletion.id, stored: stored(deletion.id)) }
        for condition in conditions { try condition.version.check(condition.id, stored: stored(condition.id)) }
    }
}

extension RecordDatabase {
    /// Throws if no database can apply the batch; for implementations of ``commit(_:)``.
    ///
    /// - Parameter batch: The batch.
    /// - Throws: `RecordDatabaseError.Code.batchTooLarge` if it exceeds the ``limits``;
    ///   ``RecordDatabaseError`` with the code `unsupported` if it needs more than the ``capabilities``, or if
    ///   ``RecordBatch/makeID()`` did not make its identifier, with the code `missingAsset` for an asset if the database has no
    ///   ``RecordDatabase/assets``, and with the code `recordTooLarge` for a record that is too
    ///   large; `RecordDatabaseError.Code.duplicateID` if it names a record twice; ``RecordError`` with the code
    ///   `invalidKey` for a field without a name, `depthLimitExceeded` if too many lists and maps are nested in one, and
    ///   `invalidID` for a record that the database cannot name.
    @_spi(Engines) public func check(_ batch: RecordBatch) throws {
        try require(batch.neededCapabilities, for: "the batch")
        if let id = batch.id, RecordBatch.parts(ofID: id) == nil {
            throw RecordDatabaseError(
                .unsupported, reason: "RecordBatch.makeID() did not make the identifier \(id.debugDescription)")
        }
        let limits = limits
        guard batch.count <= limits.batchCount else {
            throw RecordDatabaseError(.batchTooLarge, .size(batch.count, limit: limits.batchCount))
        }
        // Once: a database makes its storage when it is asked for it.
        let keepsAssets = assets != nil
        var seen = IDInterner(capacity: batch.count)
        func note(_ id: Record.ID) throws {
            let count = seen.count
            seen.insert(id)
            if seen.count == count { throw RecordDatabaseError(.duplicateID, recordID: id) }
        }
        for record in batch.saves {
            try note(record.id)
            try record.checkFieldNames()
            try limits.check(record)
            if !keepsAssets { try record.checkHasNoAssets() }
        }
        for deletion in batch.deletions { try note(deletion.id) }
        for condition in batch.conditions { try note(condition.id) }
        if limits.batchBytes < .max {
            let size = batch.saves.reduce(0) { $0 + limits.recordSize($1) }
            if size > limits.batchBytes {
                throw RecordDatabaseError(
                    .batchTooLarge,
                    reason: "the batch has \(size) bytes, the database takes \(limits.batchBytes) at a time")
            }
        }
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Records to save and to delete together, and what must hold for it.
///
/// A database applies all of a batch or nothing. All conditions are about the state before the batch.
///
/// ```swift
/// var batch = RecordBatch(saving: [school])
/// batch.deletions = [RecordBatch.Deletion(pupil.id, version: RecordBatch.Version(of: pupil))]
/// batch.conditions = [RecordBatch.Condition(director.id, version: RecordBatch.Version(of: director))]
/// try await database.commit(batch)
/// ```
public struct RecordBatch: Sendable, Hashable {
    /// The records to save.
    ///
    /// A ``Record/metadata`` with a change tag says which version they replace.
    public var saves: [Record]

    /// The records to delete.
    public var deletions: [Deletion]

    /// The records that are neither saved nor deleted, and must be in a certain version.
    public var conditions: [Condition]

    /// What a save does where the database holds another version.
    public var savePolicy: SavePolicy

    /// Makes a batch.
    ///
    /// - Parameters:
    ///   - saves: The records to save.
    ///   - ids: The records to delete in whatever version.
    ///   - savePolicy: What a save does where the database holds another version.
    public init(saving saves: [Record] = [], deleting ids: [Record.ID] = [], savePolicy: SavePolicy = .automatic) {
        self.saves = saves
        deletions = ids.map { Deletion($0) }
        conditions = []
        self.savePolicy = savePolicy
    }

    /// The number of records that are saved, deleted and looked at: what ``RecordDatabase/batchLimit`` limits.
    public var count: Int { saves.count + deletions.count + conditions.count }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { count == 0 }
}

extension RecordBatch {
    /// The version that a record must have in the database.
    public enum Version: Sendable, Hashable {
        /// Whatever version, also none.
        case any

        /// No record may be there.
        case missing

        /// The version with this change tag.
        case changeTag(String)

        /// The version that a record was read in; ``missing`` for one that was never saved.
        public init(of record: Record) {
            self = record.metadata.map { .changeTag($0.changeTag) } ?? .missing
        }
    }

    /// A record to delete.
    public struct Deletion: Sendable, Hashable {
        /// The record.
        ///
        /// One that is not there is deleted already, unless it must be in a certain version.
        public var id: Record.ID

        /// The version that it must have.
        public var version: Version

        /// Makes a deletion.
        ///
        /// - Parameters:
        ///   - id: The record.
        ///   - version: The version that it must have; any by default.
        public init(_ id: Record.ID, version: Version = .any) {
            self.id = id
            self.version = version
        }
    }

    /// A record that is neither saved nor deleted, and must be in a certain version.
    public struct Condition: Sendable, Hashable {
        /// The record.
        public var id: Record.ID

        /// The version that it must have.
        public var version: Version

        /// Makes a condition.
        ///
        /// - Parameters:
        ///   - id: The record.
        ///   - version: The version that it must have.
        public init(_ id: Record.ID, version: Version) {
            self.id = id
            self.version = version
        }
    }
}

extension RecordBatch.Version {
    /// Refuses the version that a database holds unless it is this one.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - stored: The version that the database holds; nil if it has no such record.
    /// - Throws: ``RecordDatabaseError/versionMismatch(_:expected:server:)``.
    public func check(_ id: Record.ID, stored: @autoclosure () throws -> Record?) throws {
        if self == .any { return }
        let stored = try stored()
        if self != stored.map({ Self(of: $0) }) ?? .missing {
            throw RecordDatabaseError.versionMismatch(id, expected: self, server: stored)
        }
    }
}

extension RecordBatch.Deletion {
    /// The deletion of a record in the version in which it was read; in any version if that is not known.
    init(removing record: Record) {
        self.init(record.id, version: record.metadata == nil ? .any : RecordBatch.Version(of: record))
    }
}

// MARK: For databases

extension RecordBatch {
    /// Makes the versions of the records that this batch saves, for databases that follow the rules of ``SavePolicy``.
    ///
    /// - Parameters:
    ///   - date: The time of the save.
    ///   - changeTag: Gives a new change tag for each record.
    ///   - stored: Gives the version of a record that the database holds; nil if it has no such record.
    /// - Returns: The records as they are to be stored, with their new metadata, in the order of ``saves``.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)``, ``RecordDatabaseError/unknownRecord(_:)``,
    ///   ``RecordDatabaseError/versionMismatch(_:expected:server:)``, and what the closures throw.
    public func newVersions(
        date: Date, changeTag: () throws -> String, over stored: (Record.ID) throws -> Record?
    ) throws -> [Record] {
        try checkVersions(stored)
        return try saves.map {
            try savePolicy.version(of: $0, replacing: stored($0.id), changeTag: changeTag(), date: date)
        }
    }

    /// Refuses the batch unless the records to delete and the conditions are in the versions that they must have.
    ///
    /// - Parameter stored: Gives the version of a record that the database holds; nil if it has no such record.
    /// - Throws: ``RecordDatabaseError/versionMismatch(_:expected:server:)``, and what the closure throws.
    public func checkVersions(_ stored: (Record.ID) throws -> Record?) throws {
        for deletion in deletions { try deletion.version.check(deletion.id, stored: stored(deletion.id)) }
        for condition in conditions { try condition.version.check(condition.id, stored: stored(condition.id)) }
    }
}

extension RecordDatabase {
    /// Refuses a batch that no database can apply: for implementations of ``commit(_:)``.
    ///
    /// - Parameter batch: The batch.
    /// - Throws: ``RecordDatabaseError/batchTooLarge(count:limit:)`` if it is larger than ``batchLimit``,
    ///   ``RecordDatabaseError/duplicateID(_:)`` if it names a record twice,
    ///   ``RecordError/invalidKey(_:reason:context:)`` if a field has no name, and
    ///   ``RecordError/depthLimitExceeded(_:context:)`` if more than 1,000 lists and maps are nested in one.
    public func check(_ batch: RecordBatch) throws {
        guard batch.count <= batchLimit else {
            throw RecordDatabaseError.batchTooLarge(count: batch.count, limit: batchLimit)
        }
        var seen: Set<Record.ID> = []
        seen.reserveCapacity(batch.count)
        func note(_ id: Record.ID) throws {
            guard seen.insert(id).inserted else { throw RecordDatabaseError.duplicateID(id) }
        }
        for record in batch.saves {
            try note(record.id)
            try record.checkFieldNames()
            try record.checkNesting()
        }
        for deletion in batch.deletions { try note(deletion.id) }
        for condition in batch.conditions { try note(condition.id) }
    }

    /// Saves and deletes records: all of them, or none if an error is thrown.
    ///
    /// - Parameters:
    ///   - records: The records to save. A ``Record/metadata`` with a change tag says which version they replace.
    ///   - ids: The records to delete. Those that are not there are deleted already.
    ///   - savePolicy: What to do where the database holds another version.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: What ``commit(_:)`` throws.
    @discardableResult
    public func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
    ) async throws -> [Record.ID: Record.Metadata] {
        try await commit(RecordBatch(saving: records, deleting: ids, savePolicy: savePolicy))
    }
}

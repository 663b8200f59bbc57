#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A place where records are kept.
///
/// A database has three obligations, which the suite in the library `NestedRecordsTesting` checks:
///
/// - ``records(for:)`` answers with the records that it has, each once, and with nothing else. A record comes back as it
///   was saved, with the metadata that the save gave it, and with the modification date in place of each
///   ``Record/Value/serverTimestamp``.
/// - ``commit(_:)`` does everything or nothing, also in the eyes of a call that runs at
///   the same time, and obeys ``SavePolicy``. Each saved record gets a new change tag, a modification date that is not
///   before the last one, and keeps its creation date.
/// - ``records(ofType:)`` gives every record once.
public protocol RecordDatabase: Sendable {
    /// The greatest number of records that one call may fetch, or save and delete together. No limit by default.
    ///
    /// Callers split larger requests; a database rejects them with
    /// ``RecordDatabaseError/batchTooLarge(count:limit:)``.
    var batchLimit: Int { get }

    /// The records with these IDs.
    ///
    /// - Parameter ids: IDs, each once.
    /// - Returns: The records that are there, each once, in any order. Others are left out.
    /// - Throws: What keeps the database from answering.
    func records(for ids: [Record.ID]) async throws -> [Record]

    /// Applies a batch: all of it, or nothing if an error is thrown.
    ///
    /// - Parameter batch: The records to save and to delete, and the versions that others must have.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)``, ``RecordDatabaseError/unknownRecord(_:)``,
    ///   ``RecordDatabaseError/versionMismatch(_:expected:server:)`` and ``RecordDatabaseError/duplicateID(_:)``,
    ///   ``RecordError/invalidKey(_:reason:context:)`` for a field without a name, and what keeps the database from
    ///   saving.
    @discardableResult
    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata]

    /// Every record, or every record of a type.
    ///
    /// - Parameter type: The record type; nil for all.
    /// - Returns: The records, each once.
    func records(ofType type: String?) -> RecordSequence

    /// The records that a query finds, or the first of them.
    ///
    /// Every database gives the same answer: in the order of ``SortKey``, and at last of the names. The default looks at
    /// every record of the type.
    ///
    /// - Parameter query: The query.
    /// - Returns: The records in the order of the query, where to go on, and what it took.
    /// - Throws: ``RecordQueryError``, and what keeps the database from reading.
    func page(_ query: RecordQuery) async throws -> RecordPage

    /// How many records a query finds, whatever its order, limit and cursor.
    ///
    /// The default looks at every record of the type.
    ///
    /// - Parameter query: The query.
    /// - Returns: The number of records.
    /// - Throws: The errors of ``page(_:)``.
    func count(_ query: RecordQuery) async throws -> Int

    /// The references that lead to records, wherever they are.
    ///
    /// The default looks at every record.
    ///
    /// - Parameter ids: The records.
    /// - Returns: For each of them that is referred to, the references.
    /// - Throws: What keeps the database from reading.
    func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]]
}

extension RecordDatabase {
    /// No limit.
    public var batchLimit: Int { .max }
}

/// What a save does with the version that the database holds.
///
/// | the record's tag | in the database | `ifUnchanged` | `automatic` | `overwrite` |
/// | --- | --- | --- | --- | --- |
/// | none | no record | insert | insert | insert |
/// | none | a record | conflict | replace | replace |
/// | equal | the same tag | replace | replace | replace |
/// | different | another tag | conflict | conflict | replace |
/// | some | no record | unknown record | unknown record | insert |
public enum SavePolicy: Sendable, Hashable, CaseIterable {
    /// Only new records, and known versions of others.
    case ifUnchanged

    /// As ``ifUnchanged``, but a record that names no version replaces whatever is there. The default.
    case automatic

    /// Whatever the database holds.
    case overwrite
}

extension SavePolicy {
    /// Whether a record must not be saved in place of the version that the database holds.
    func isConflict(saving record: Record, over stored: Record) -> Bool {
        let tag = record.metadata?.changeTag
        if self == .overwrite || tag == nil && self == .automatic { return false }
        return tag != stored.metadata?.changeTag
    }

    /// The version of a record that a save makes, for databases that follow the table.
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - stored: The version that the database holds.
    ///   - changeTag: The new version's tag.
    ///   - date: The time of the save.
    /// - Returns: The record as it is to be stored, with its new metadata, and with the modification date in place of
    ///   each ``Record/Value/serverTimestamp``.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` and ``RecordDatabaseError/unknownRecord(_:)``.
    public func version(
        of record: Record, replacing stored: Record?, changeTag: String, date: @autoclosure () -> Date
    ) throws -> Record {
        record.saved(as: try metadata(of: record, replacing: stored, changeTag: changeTag, date: date()))
    }

    /// The metadata of the version of a record that a save makes.
    package func metadata(
        of record: Record, replacing stored: Record?, changeTag: String, date: @autoclosure () -> Date
    ) throws -> Record.Metadata {
        if let stored, isConflict(saving: record, over: stored) {
            throw RecordDatabaseError.conflict(client: record, server: stored)
        }
        if stored == nil, record.metadata != nil, self != .overwrite { throw RecordDatabaseError.unknownRecord(record) }
        let date = date()
        return Record.Metadata(
            changeTag: changeTag, creationDate: stored?.metadata?.creationDate ?? date,
            // A clock may be set back, a record's history may not.
            modificationDate: max(date, stored?.metadata?.modificationDate ?? date))
    }
}

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A store of records.
///
/// A database has three obligations, which the test suite in the library `NestedRecordsTesting` checks:
///
/// - ``records(for:)`` returns the existing records, each once, and no others. A record is returned as it was saved,
///   with the metadata of the save, and with the modification date in place of each ``Record/Value/serverTimestamp``.
/// - ``commit(_:)`` is atomic, also as seen by concurrent calls, and obeys ``SavePolicy``. Each saved record gets a new
///   change tag, a modification date that is not before the last one, and keeps its creation date.
/// - ``storedRecords(ofType:)`` returns every record once.
public protocol RecordDatabase: Sendable {
    /// How much the database accepts at a time; no limits by default.
    ///
    /// The library splits larger requests; a database rejects them with
    /// `RecordDatabaseError.Code.batchTooLarge`.
    var limits: RecordDatabaseLimits { get }

    /// What the database can do; by default everything except ``RecordCapabilities/referrerConditions``.
    ///
    /// A database that passes its calls on to another has the capabilities of the other.
    var capabilities: RecordCapabilities { get }

    /// The feed of the database's changes; nil, the default, without one.
    ///
    /// A database that passes its calls on to another has a feed exactly if the other has one.
    var feed: (any RecordFeed)? { get }

    /// Where the database keeps the bytes of assets; nil, the default, if it keeps none.
    ///
    /// ``RecordStore/assets`` reads and adds them. A database without a storage refuses records with assets. One that passes
    /// its calls on to another has the storage of the other.
    var assets: (any AssetStorage)? { get }

    /// Returns the records with these IDs.
    ///
    /// - Parameter ids: IDs, each once.
    /// - Returns: The existing records, each once, in any order.
    /// - Throws: Errors of the database.
    func records(for ids: [Record.ID]) async throws -> [Record]

    /// Applies a batch: all of it, or nothing if an error is thrown.
    ///
    /// The records are saved as they are: the values of unique properties are neither claimed nor checked. Commit batches
    /// that clients have sent to a ``ScopedRecordDatabase``, which claims them; see <doc:UniqueValues>.
    ///
    /// - Parameter batch: The records to save and to delete, and the required versions of others.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: `RecordDatabaseError.Code.conflict`, `RecordDatabaseError.Code.unknownRecord`,
    ///   `RecordDatabaseError.Code.versionMismatch` and `RecordDatabaseError.Code.duplicateID`,
    ///   ``RecordDatabaseError`` with the code `stillReferenced` for ``RecordBatch/allowedReferrers``,
    ///   ``RecordDatabaseError`` with the code `missingAsset` for an asset whose content the database lacks,
    ///   `RecordError.Code.invalidKey` for a field without a name, and errors of the database.
    @discardableResult
    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata]

    /// Finds out whether a batch was applied, after its connection was lost.
    ///
    /// The answer is final: a batch that has not been applied by now is void, so that a copy of it that arrives later fails.
    /// The default throws; a database with ``RecordCapabilities/outcomes`` implements it.
    ///
    /// - Parameter id: The batch's ``RecordBatch/id``.
    /// - Returns: The new metadata of the saved records, without those that were saved again or deleted since then; nil if
    ///   the batch was not applied, and never will be.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` without that capability, and with the code
    ///   `outcomeForgotten` for a batch that is older than the outcomes which the database keeps; errors of the database.
    func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]?

    /// Returns all stored records, or all records of a type, with those that the library keeps for itself.
    ///
    /// For databases to implement; callers use ``records(ofType:including:)``.
    ///
    /// - Parameter type: The record type; nil for all.
    /// - Returns: The records, each once.
    func storedRecords(ofType type: String?) -> RecordSequence

    /// Returns the versions of a type's records without their contents, in pages, to compare two databases.
    ///
    /// The records are in the order of the bytes of their names; in a database without
    /// ``RecordCapabilities/orderedVersions`` in an order of its own, which is always the same. The default reads the
    /// records.
    ///
    /// - Parameters:
    ///   - type: The record type.
    ///   - name: The name of the last record of the previous page, which may be deleted by now; nil for the first page.
    ///   - limit: The maximum number of records of the page.
    /// - Returns: The versions. A page with fewer than `limit` is the last one.
    /// - Throws: The errors of ``page(_:)``.
    func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]

    /// Returns the records of a query, or its first page.
    ///
    /// Every database returns the same records, in the order of ``SortKey`` or of a ``RecordOrder/collation``, at last by
    /// name. The default examines every record of the type.
    ///
    /// - Parameter query: The query.
    /// - Returns: The records in the order of the query, the cursor for the next page, and the number of examined records.
    /// - Throws: ``RecordError``, and errors of reading.
    func page(_ query: RecordQuery) async throws -> RecordPage

    /// Returns the number of records of a query, regardless of its order, limit and cursor.
    ///
    /// The default examines every record of the type.
    ///
    /// - Parameter query: The query.
    /// - Returns: The number of records.
    /// - Throws: The errors of ``page(_:)``.
    func count(_ query: RecordQuery) async throws -> Int

    /// Returns summaries of the records of a query: their number, and the sum, mean, least and greatest value of a field.
    ///
    /// The order, limit and cursor of the query have no effect. The default examines every record of the type.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - field: The field to summarize; nil to count only.
    ///   - group: The field by whose values, or parts of dates, the records are grouped; nil for one summary of all records.
    /// - Returns: One summary for each value or part, in the order of ``SortKey``; those without a value and with null are
    ///   one group, the first.
    /// - Throws: ``RecordError`` with the code `invalidSummary` if one of the values is a list or a map, if a value of the
    ///   group's field has more than 480 bytes, or is not a date and grouped by a part; the errors of ``page(_:)``.
    func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary]

    /// Explains in English sentences how a page of a query is found: which indexes are read, and what is examined.
    ///
    /// The text is for people, and may change.
    ///
    /// - Parameter query: The query.
    /// - Returns: The sentences.
    /// - Throws: The errors of ``page(_:)``.
    func explanation(of query: RecordQuery) async throws -> String

    /// Returns the references to the given records, from all records.
    ///
    /// The default examines every record.
    ///
    /// - Parameter ids: The records.
    /// - Returns: The references to each record; records without references to them are left out.
    /// - Throws: Errors of reading.
    func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]]
}

extension RecordDatabase {
    /// No limits.
    public var limits: RecordDatabaseLimits { RecordDatabaseLimits() }

    /// All except ``RecordCapabilities/referrerConditions``, which needs code in ``commit(_:)``.
    public var capabilities: RecordCapabilities { RecordCapabilities.all.subtracting(.referrerConditions) }

    /// Refuses: the database keeps no outcomes.
    public func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        throw RecordDatabaseError.unsupported(.outcomes, for: "the outcome of a batch")
    }

    /// None.
    public var assets: (any AssetStorage)? { nil }

    /// No feed.
    public var feed: (any RecordFeed)? { nil }

    /// Returns all records, or all records of a type.
    ///
    /// The library keeps records of its own, whose types begin with `NestedRecords.`, such as the claims of unique values.
    ///
    /// - Parameters:
    ///   - type: The record type; nil for all. A type of the library is always returned.
    ///   - inclusion: `.system` to return the records of the library too, for a backup.
    /// - Returns: The records, each once.
    public func records(ofType type: String?, including inclusion: RecordInclusion = []) -> RecordSequence {
        let records = storedRecords(ofType: type)
        return type == nil && !inclusion.contains(.system) ? records.filtered { !$0.id.isReserved } : records
    }
}

/// Which records a list or a feed returns besides those of the callers.
public struct RecordInclusion: OptionSet, Sendable, Hashable {
    /// One bit for each kind of record.
    public let rawValue: UInt8

    /// Makes an inclusion from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The records that the library keeps for itself.
    public static let system = Self(rawValue: 1)
}

/// The effect of a save on the version that the database holds.
///
/// | the record's tag | in the database | `ifUnchanged` | `overwrite` |
/// | --- | --- | --- | --- |
/// | none | no record | insert | insert |
/// | none | a record | conflict | replace |
/// | equal | the same tag | replace | replace |
/// | different | another tag | conflict | replace |
/// | some | no record | unknown record | insert |
public enum SavePolicy: Sendable, Hashable, CaseIterable {
    /// Insert new records, and replace only the version that a record names. The default.
    case ifUnchanged

    /// Replace any version.
    case overwrite
}

extension SavePolicy {
    /// Whether a record must not replace the version that the database holds.
    func isConflict(saving record: Record, over stored: Record) -> Bool {
        self != .overwrite && record.metadata?.changeTag != stored.metadata?.changeTag
    }

    package func metadata(
        of record: Record, replacing stored: Record?, changeTag: String, date: @autoclosure () -> Date
    ) throws -> Record.Metadata {
        if let stored, isConflict(saving: record, over: stored) {
            throw RecordDatabaseError(.conflict, .versions(client: record, server: stored))
        }
        if stored == nil, record.metadata != nil, self != .overwrite {
            throw RecordDatabaseError(.unknownRecord, .versions(client: record))
        }
        let date = date()
        return Record.Metadata(
            changeTag: changeTag, creationDate: stored?.metadata?.creationDate ?? date,
            // A clock may go back, the dates of a record may not.
            modificationDate: max(date, stored?.metadata?.modificationDate ?? date))
    }
}

/// The saves in a database file that survive a loss of power.
///
/// A crash of the program alone loses no saves.
public enum RecordDurability: Sendable, Hashable {
    /// Every save that has returned.
    case full

    /// The saves before the last synchronization of the file, and an unknown number of saves since then, in order.
    ///
    /// Saves do not wait for the disk. A record file is synchronized when it is closed or compacted, an SQLite file by a
    /// checkpoint.
    case relaxed
}

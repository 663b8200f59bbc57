import Foundation
import NestedRecords

/// The calls of CloudKit that the database needs, with values in the place of CloudKit's classes.
///
/// Each throws ``CloudKitFailure``.
protocol CloudKitPort: Sendable {
    /// Whether the records are in a zone with atomic batches and changes, and not in the public database.
    var isZone: Bool { get }

    /// Whether a deletion can require a version.
    var deletesVersions: Bool { get }

    /// The zone for the bytes of assets; nil where there is none.
    var assetZone: (any CloudKitPort)? { get }

    /// The existing records with names.
    func records(named names: [String]) async throws -> [String: PortRecord]

    /// Saves and deletes all records or none; in the public database one record.
    func modify(saving saves: [PortSave], deleting deletions: [PortDeletion]) async throws

    /// A page of the records of a type, in the public database.
    ///
    /// - Parameters:
    ///   - recordType: The type in CloudKit.
    ///   - marker: What the page before has returned; nil for the first page.
    func records(ofType recordType: String, after marker: (any Sendable)?) async throws -> RecordsOfType

    /// The changes of a zone since a position.
    ///
    /// - Parameters:
    ///   - position: The position; nil for the beginning, from which on each existing record is a change.
    ///   - limit: The maximum number of changes, which the server may lower.
    ///   - hasFields: Whether the records are read with their fields.
    func changes(since position: Data?, limit: Int?, hasFields: Bool) async throws -> ZoneChanges

    /// Makes the zone, unless it exists.
    func makeZone() async throws

    /// Lets the server send a message when the zone changes.
    func subscribe() async throws

    /// The name of the user's record, which changes with the user of the device.
    func userName() async throws -> String
}

extension CloudKitPort {
    /// The changes of a zone, which are requested again while CloudKit refuses them for now.
    ///
    /// - Throws: `RecordDatabaseError`, and ``CloudKitFailure`` for a zone or a position that does not exist.
    func repeatedChanges(since position: Data?, limit: Int? = nil, hasFields: Bool) async throws -> ZoneChanges {
        try await repeatingRead {
            do {
                return try await changes(since: position, limit: limit, hasFields: hasFields)
            } catch CloudKitFailure.other(let error) {
                throw error
            }
        }
    }
}

/// A record of CloudKit.
struct PortRecord: Sendable {
    var fields: CloudKitFields
    let system: SystemFields

    /// What the port needs to save the record again.
    let base: any Sendable

    /// Whether it has a file of the library's own, whose bytes are read together with it.
    var hasFile: Bool { fields.recordType == CloudKitNaming.recordType(of: ZoneAssetChunks.partType) }
}

/// A save of a record in CloudKit, which fails unless the record is still the base.
struct PortSave: Sendable {
    /// The record as it was read; nil for one that must not exist.
    let base: PortRecord?

    let recordType: String
    let recordName: String

    /// The fields to set.
    let set: [String: CloudKitValue]

    /// The fields to remove.
    let removed: [String]
}

/// A deletion of a record.
struct PortDeletion: Sendable {
    let recordName: String

    /// The record as it was read, if only this version is deleted.
    var base: PortRecord?
}

/// A page of records.
struct RecordsOfType: Sendable {
    let records: [PortRecord]

    /// Where the next page begins; nil after the last one.
    let marker: (any Sendable)?
}

/// The changes of a zone.
struct ZoneChanges: Sendable {
    /// The records that were saved, in the state of now.
    var saved: [PortRecord]

    /// The deleted records; the web services do not state their types.
    var deleted: [(recordName: String, recordType: String?)]

    /// The position after these changes.
    var position: Data
    var isComplete: Bool

    var isEmpty: Bool { saved.isEmpty && deleted.isEmpty }
}

/// An error of CloudKit.
enum CloudKitFailure: Error {
    /// Records were not as a save requires, and nothing was done.
    case outdated(recordNames: [String])

    /// Records to delete do not exist, and nothing was done.
    case missing(recordNames: [String])

    /// There is no zone.
    case zoneMissing(reason: String)

    /// The changes since a position are no longer recorded.
    case positionExpired

    /// The connection was lost, so that the changes may be made or not.
    case unknownOutcome(RecordDatabaseError)

    /// Another error, and nothing was done.
    case other(RecordDatabaseError)

    /// The error for a caller.
    var error: RecordDatabaseError {
        switch self {
        case .outdated(let names), .missing(let names):
            RecordDatabaseError(.busy, reason: "other writers have changed \(names.sorted().joined(separator: ", "))")
        case .zoneMissing(let reason): RecordDatabaseError(.notPrepared, reason: reason, hint: "call prepare()")
        case .positionExpired: RecordDatabaseError(.changeTokenExpired, .expiry(.purged))
        case .unknownOutcome(let error), .other(let error): error
        }
    }
}

/// Reports an error of the port as one of databases.
func reportingFailures<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let failure as CloudKitFailure {
        throw failure.error
    }
}

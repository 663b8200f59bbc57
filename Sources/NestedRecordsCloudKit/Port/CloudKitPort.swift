import Foundation
import NestedRecords

/// The calls of CloudKit that the database needs, about one zone, with values in the place of CloudKit's classes.
///
/// Each throws ``CloudKitFailure``.
protocol CloudKitPort: Sendable {
    /// The existing records with names.
    func records(named names: [String]) async throws -> [String: PortRecord]

    /// Saves and deletes all records or none.
    func modify(saving saves: [PortSave], deleting names: [String]) async throws

    /// The changes since a position.
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

/// A record of CloudKit.
struct PortRecord: Sendable {
    let fields: CloudKitFields
    let system: SystemFields

    /// What the port needs to save the record again.
    let base: any Sendable
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

/// The changes of a zone.
struct ZoneChanges: Sendable {
    /// The records that were saved, in the state of now.
    var saved: [PortRecord]
    var deleted: [(recordName: String, recordType: String)]

    /// The position after these changes.
    var position: Data
    var isComplete: Bool
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

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a database can refuse.
public enum RecordDatabaseError: Error, Sendable {
    /// The record to save was made from another version than the database holds.
    case conflict(client: Record, server: Record)

    /// The record to save names a version, but the database holds no such record.
    case unknownRecord(Record)

    /// A batch saves or deletes this record more than once.
    case duplicateID(Record.ID)

    /// A batch has more records than the database takes at a time.
    case batchTooLarge(count: Int, limit: Int)

    /// A graph that is larger than a batch was saved up to here.
    case partiallySaved([Record.ID: Record.Metadata], underlyingError: any Error)

    /// Of records that are more than a batch these were deleted, and no others.
    case partiallyDeleted([Record.ID], underlyingError: any Error)

    /// A value was saved completely, and cannot be decoded from the records that it was saved as.
    case savedButNotDecoded([Record.ID: Record.Metadata], underlyingError: any Error)
}

extension RecordDatabaseError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RecordDatabaseError: CustomStringConvertible {
    /// What was refused, in one line.
    public var description: String {
        switch self {
        case .conflict(let client, let server):
            "the record \(client.id) to save is of version \(client.metadata?.changeTag ?? "none"), "
                + "the database holds version \(server.metadata?.changeTag ?? "none")"
        case .unknownRecord(let record):
            "the record \(record.id) to save is of version \(record.metadata?.changeTag ?? "none"), "
                + "the database holds no such record"
        case .duplicateID(let id):
            "the record \(id) is saved or deleted twice in one batch"
        case .batchTooLarge(let count, let limit):
            "the batch has \(count) records, the database takes \(limit) at a time"
        case .partiallySaved(let saved, let error):
            "only the first \(saved.count) records of the graph were saved: \(error)"
        case .partiallyDeleted(let deleted, let error):
            "only the first \(deleted.count) records were deleted (\(deleted.shortList)): \(error)"
        case .savedButNotDecoded(let saved, let error):
            saved.count == 1
                ? "1 record was saved, but the value cannot be decoded from it: \(error)"
                : "\(saved.count) records were saved, but the value cannot be decoded from them: \(error)"
        }
    }
}

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

    /// Somebody else has the file open for writing.
    case locked(path: String)

    /// A part of the file that was acknowledged is not what was written; at this offset, in bytes.
    case corrupt(path: String, offset: Int, what: String)

    /// The file was written by a later version of this library.
    case unsupportedVersion(path: String, version: Int)

    /// The file is something else.
    case notARecordFile(path: String)

    /// No file can have this path.
    case invalidPath(path: String, reason: String)

    /// The file was moved, deleted or replaced by another one since it was opened, and nothing was written.
    case fileReplaced(path: String)

    /// The file has this many names (hard links), and a compaction would take it away from all but one.
    case hardLinked(path: String, count: Int)

    /// There is no room for what is to be written: on the disk, or in what the system lets the program write.
    case diskFull(path: String, operation: String)

    /// The system refuses something.
    case inputOutput(path: String, operation: String, errno: Int32)

    /// The database was closed.
    case closed(path: String)

    /// The database was opened only for reading.
    case readOnly(path: String)

    /// A graph that is larger than a batch was saved up to here.
    case partiallySaved([Record.ID: Record.Metadata], underlyingError: any Error)

    /// Of records that are more than a batch these were deleted, and no others.
    case partiallyDeleted([Record.ID], underlyingError: any Error)
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
        case .locked(let path):
            "the file \(path) is open for writing somewhere else"
        case .corrupt(let path, let offset, let what):
            "the file \(path) is damaged at byte \(offset): \(what)"
        case .unsupportedVersion(let path, let version):
            "the file \(path) has the format version \(version), which this library does not know"
        case .notARecordFile(let path):
            "the file \(path) is not a record file"
        case .invalidPath(let path, let reason):
            "the path \(path.debugDescription) cannot be opened: \(reason)"
        case .fileReplaced(let path):
            "the file \(path) was moved, deleted or replaced since it was opened; nothing was written"
        case .hardLinked(let path, let count):
            "the file \(path) has \(count) names (hard links), of which only one would lead to the compacted file"
        case .diskFull(let path, let operation):
            "there is no room to \(operation) the file \(path)"
        case .inputOutput(let path, let operation, let code):
            "the system could not \(operation) the file \(path): \(ErrorCode.text(Int(code))) (error \(code))"
        case .closed(let path):
            "the database in the file \(path) is closed"
        case .readOnly(let path):
            "the database in the file \(path) was opened only for reading"
        case .partiallySaved(let saved, let error):
            "only the first \(saved.count) records of the graph were saved: \(error)"
        case .partiallyDeleted(let deleted, let error):
            "only the first \(deleted.count) records were deleted (\(deleted.shortList)): \(error)"
        }
    }
}

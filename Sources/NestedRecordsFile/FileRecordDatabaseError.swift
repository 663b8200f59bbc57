import NestedRecords

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What can go wrong with the file of a ``FileRecordDatabase``.
public enum FileRecordDatabaseError: Error, Sendable {
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
}

extension FileRecordDatabaseError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension FileRecordDatabaseError: CustomStringConvertible {
    /// What happened to which file, in one line.
    public var description: String {
        switch self {
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
        }
    }
}

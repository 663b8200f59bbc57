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

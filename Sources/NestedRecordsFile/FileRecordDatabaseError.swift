import NestedRecords

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What can go wrong with the file of a ``FileRecordDatabase``.
///
/// ``code`` identifies the error. Each code lists the properties that it sets.
/// Errors cannot be compared, since an underlying error cannot be either: compare codes and details.
public struct FileRecordDatabaseError: Error, Sendable {
    private struct Details: Sendable {
        var code: Code
        var path: String
        var offset: Int?
        var reason: String?
        var operation: String?
        var systemErrorNumber: Int32?
        var formatVersion: Int?
        var linkCount: Int?
        var underlyingError: (any Error)?
    }

    private let details: Box<Details>

    private init(_ details: Details) {
        self.details = Box(details)
    }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - path: The path of the file.
    ///   - reason: Why, or nil if the code says enough.
    ///   - underlyingError: The error that led to this one, or nil.
    public init(_ code: Code, path: String, reason: String? = nil, underlyingError: (any Error)? = nil) {
        self.init(Details(code: code, path: path, reason: reason, underlyingError: underlyingError))
    }
}

extension FileRecordDatabaseError {
    /// What went wrong.
    public var code: Code { details.value.code }

    /// The path of the file.
    public var path: String { details.value.path }

    /// The offset of the damage in the file, in bytes.
    public var offset: Int? { details.value.offset }

    /// Why, or what is damaged, where the code alone does not say it.
    public var reason: String? { details.value.reason }

    /// What was to be done with the file, such as `open`.
    public var operation: String? { details.value.operation }

    /// The system's number of the error (`errno`).
    public var systemErrorNumber: Int32? { details.value.systemErrorNumber }

    /// The version of the file's format.
    public var formatVersion: Int? { details.value.formatVersion }

    /// How many names (hard links) the file has.
    public var linkCount: Int? { details.value.linkCount }

    /// The error that led to this one.
    public var underlyingError: (any Error)? { details.value.underlyingError }
}

extension FileRecordDatabaseError {
    /// What went wrong, without the details.
    ///
    /// Compare it with the constants; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Another process or database has the file open for writing.
        public static let locked = Code(rawValue: "locked")

        /// A part of the file that was acknowledged is not what was written: ``offset``, ``reason``.
        public static let corrupt = Code(rawValue: "corrupt")

        /// The file has another version of the format than the one that this library reads: ``formatVersion``.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")

        /// The file is something else.
        public static let notARecordFile = Code(rawValue: "notARecordFile")

        /// No file can have this path: ``reason``.
        public static let invalidPath = Code(rawValue: "invalidPath")

        /// The file was moved, deleted or replaced by another one since it was opened, and nothing was written.
        public static let fileReplaced = Code(rawValue: "fileReplaced")

        /// The file has several names (hard links), and only one name would refer to the compacted file:
        /// ``linkCount``.
        public static let hardLinked = Code(rawValue: "hardLinked")

        /// No other file can take the name of the file, so that it cannot be compacted: ``underlyingError``.
        public static let notReplaceable = Code(rawValue: "notReplaceable")

        /// There is no room for what is to be written, on the disk, or a size limit was reached: ``operation``.
        public static let diskFull = Code(rawValue: "diskFull")

        /// The system refuses something: ``operation``, ``systemErrorNumber``.
        public static let inputOutput = Code(rawValue: "inputOutput")

        /// The database was closed.
        public static let closed = Code(rawValue: "closed")

        /// The database was opened only for reading.
        public static let readOnly = Code(rawValue: "readOnly")

        /// Returns whether an error is a ``FileRecordDatabaseError`` with this code, for
        /// `catch FileRecordDatabaseError.Code.locked`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? FileRecordDatabaseError)?.code == code
        }
    }
}

extension FileRecordDatabaseError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { rawValue }
}

extension FileRecordDatabaseError {
    /// Another process or database has the file open for writing.
    public static func locked(path: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .locked, path: path))
    }

    /// A part of the file that was acknowledged is not what was written; at this offset, in bytes.
    public static func corrupt(path: String, offset: Int, what: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .corrupt, path: path, offset: offset, reason: what))
    }

    /// A part of the file that was acknowledged is not what was written, with the underlying error.
    static func corrupt(
        path: String, offset: Int, what: String, underlyingError: any Error
    ) -> FileRecordDatabaseError {
        FileRecordDatabaseError(
            Details(code: .corrupt, path: path, offset: offset, reason: what, underlyingError: underlyingError))
    }

    /// The file has another version of the format than the one that this library reads.
    public static func unsupportedVersion(path: String, version: Int) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .unsupportedVersion, path: path, formatVersion: version))
    }

    /// The file is something else.
    public static func notARecordFile(path: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .notARecordFile, path: path))
    }

    /// No file can have this path.
    public static func invalidPath(path: String, reason: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .invalidPath, path: path, reason: reason))
    }

    /// The file was moved, deleted or replaced by another one since it was opened, and nothing was written.
    public static func fileReplaced(path: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .fileReplaced, path: path))
    }

    /// The file has this many names (hard links), and only one name would refer to the compacted file.
    public static func hardLinked(path: String, count: Int) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .hardLinked, path: path, linkCount: count))
    }

    /// There is no room for what is to be written on the disk, or a size limit was reached.
    public static func diskFull(path: String, operation: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .diskFull, path: path, operation: operation))
    }

    /// The system refuses something.
    public static func inputOutput(path: String, operation: String, errno: Int32) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .inputOutput, path: path, operation: operation, systemErrorNumber: errno))
    }

    /// The database was closed.
    public static func closed(path: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .closed, path: path))
    }

    /// The database was opened only for reading.
    public static func readOnly(path: String) -> FileRecordDatabaseError {
        FileRecordDatabaseError(Details(code: .readOnly, path: path))
    }
}

extension FileRecordDatabaseError {
    /// Whether the system forbids to replace a file by another one; the file itself may be written all the same.
    var forbidsReplacement: Bool {
        code == .inputOutput && ErrorCode.noReplacement.contains(where: isSystemError)
    }

    /// Whether the system refused something with this number.
    func isSystemError(_ number: Int) -> Bool { systemErrorNumber.map(Int.init) == number }

    /// The same error for another path.
    func at(_ path: String) -> FileRecordDatabaseError {
        var details = details.value
        details.path = path
        return FileRecordDatabaseError(details)
    }
}

extension FileRecordDatabaseError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension FileRecordDatabaseError: CustomStringConvertible {
    /// What happened to which file, in one line.
    public var description: String { summary + reason.detail + underlyingError.detail }

    private var summary: String {
        switch code {
        case .locked: "the file \(path) is open for writing somewhere else"
        case .corrupt: "the file \(path) is damaged at byte \(offset.orUnknown)"
        case .unsupportedVersion:
            "the file \(path) cannot be read: its format version \(formatVersion.orUnknown) is not supported"
        case .notARecordFile: "the file \(path) is not a record file"
        case .invalidPath: "the path \(path.debugDescription) cannot be opened"
        case .fileReplaced: "the file \(path) was moved, deleted or replaced since it was opened; nothing was written"
        case .hardLinked:
            "the file \(path) has \(linkCount.orUnknown) names (hard links), and only one name would refer to the "
                + "compacted file"
        case .notReplaceable:
            "the file \(path) cannot be replaced by a compacted one; 'records copy' makes a compacted copy of it"
        case .diskFull: "there is no room to \(operation.orUnknown) the file \(path)"
        case .inputOutput:
            "the system could not \(operation.orUnknown) the file \(path): "
                + (systemErrorNumber.map { "\(ErrorCode.text(Int($0))) (error \($0))" }).orUnknown
        case .closed: "the database in the file \(path) is closed"
        case .readOnly: "the database in the file \(path) was opened only for reading"
        default: "\(code.rawValue) (file \(path))"
        }
    }
}

#if SQLite
import CSQLite
public import Foundation
public import NestedRecords

/// What can go wrong with the file of a ``SQLiteRecordDatabase``.
///
/// ``code`` identifies the error. Each code lists the properties that it sets.
/// Errors cannot be compared, since an underlying error cannot be either: compare codes and details.
public struct SQLiteRecordDatabaseError: Error, Sendable {
    private struct Details: Sendable {
        var code: Code
        var path: String
        var reason: String?
        var resultCode: Int32?
        var schemaVersion: Int?
        var recordID: Record.ID?
        var rowNumber: Int64?
        var underlyingError: (any Error)?
    }

    private let details: Box<Details>

    private init(_ details: Details) { self.details = Box(details) }

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

extension SQLiteRecordDatabaseError {
    /// What went wrong.
    public var code: Code { details.value.code }

    /// The path of the file.
    public var path: String { details.value.path }

    /// Why, where the code alone does not say it.
    public var reason: String? { details.value.reason }

    /// SQLite's extended result code.
    public var resultCode: Int32? { details.value.resultCode }

    /// The version of the tables in the file.
    public var schemaVersion: Int? { details.value.schemaVersion }

    /// The record whose row is damaged.
    public var recordID: Record.ID? { details.value.recordID }

    /// The number of the damaged row in the table `records`.
    ///
    /// Deleting the record, or saving it whatever its version, mends the row. If it has no ID of a record, the description
    /// has the SQL statements that remove it.
    public var rowNumber: Int64? { details.value.rowNumber }

    /// The error that led to this one.
    public var underlyingError: (any Error)? { details.value.underlyingError }
}

extension SQLiteRecordDatabaseError {
    /// What went wrong, without the details.
    ///
    /// Compare it with the constants; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Others have used the file for longer than one waits, and nothing was written: ``resultCode``.
        public static let busy = Code(rawValue: "busy")

        /// There is no room for what is to be written, and nothing was: ``resultCode``.
        public static let diskFull = Code(rawValue: "diskFull")

        /// The file is damaged: ``reason``, and ``resultCode`` or ``underlyingError``; ``recordID`` and
        /// ``rowNumber`` where they are known.
        public static let corrupt = Code(rawValue: "corrupt")

        /// The file, its folder or the options do not allow to write.
        public static let readOnly = Code(rawValue: "readOnly")

        /// The file is none of SQLite.
        public static let notADatabase = Code(rawValue: "notADatabase")

        /// The file is one of SQLite with other tables.
        public static let notARecordDatabase = Code(rawValue: "notARecordDatabase")

        /// The file was written by a later version of this library: ``schemaVersion``.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")

        /// The file cannot be opened: ``resultCode``, ``reason``.
        public static let cannotOpen = Code(rawValue: "cannotOpen")

        /// Another database has taken the place of the file since it was opened.
        public static let fileReplaced = Code(rawValue: "fileReplaced")

        /// No file can have this path: ``reason``.
        public static let invalidPath = Code(rawValue: "invalidPath")

        /// A record is larger than SQLite can store.
        public static let recordTooLarge = Code(rawValue: "recordTooLarge")

        /// The system could not read or write: ``resultCode``, ``reason``.
        public static let inputOutput = Code(rawValue: "inputOutput")

        /// SQLite refuses something else: ``resultCode``, ``reason``.
        public static let refused = Code(rawValue: "refused")

        /// The database was closed.
        public static let closed = Code(rawValue: "closed")

        /// Returns whether an error is a ``SQLiteRecordDatabaseError`` with this code, for
        /// `catch SQLiteRecordDatabaseError.Code.busy`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? SQLiteRecordDatabaseError)?.code == code
        }
    }
}

extension SQLiteRecordDatabaseError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { rawValue }
}

extension SQLiteRecordDatabaseError {
    /// What SQLite has answered.
    init(resultCode: Int32, message: String, path: String) {
        self.init(Details(code: Code(resultCode), path: path, reason: message, resultCode: resultCode))
    }

    /// The tables are of a later version of this library.
    static func unsupportedVersion(path: String, version: Int) -> SQLiteRecordDatabaseError {
        SQLiteRecordDatabaseError(Details(code: .unsupportedVersion, path: path, schemaVersion: version))
    }

    /// Something in the file is damaged.
    ///
    /// - Parameters:
    ///   - record: The ID in the columns of the damaged row, if it is one.
    ///   - row: The number of the damaged row; nil if it is something else.
    static func corrupt(
        path: String, record: Record.ID? = nil, row: Int64? = nil, what: String,
        underlyingError: (any Error)? = nil
    ) -> SQLiteRecordDatabaseError {
        SQLiteRecordDatabaseError(
            Details(
                code: .corrupt, path: path, reason: what, recordID: record, rowNumber: row,
                underlyingError: underlyingError))
    }
}

extension SQLiteRecordDatabaseError.Code {
    fileprivate init(_ resultCode: Int32) {
        self =
            switch resultCode & 0xFF {
            // The file with -shm behind its name cannot be made larger.
            case SQLITE_IOERR where resultCode == SQLITE_IOERR | 19 << 8: .diskFull
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .diskFull
            // A row that breaks a rule of the tables is one that was not there when it was looked for.
            case SQLITE_CORRUPT, SQLITE_CONSTRAINT: .corrupt
            case SQLITE_READONLY: .readOnly
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
            case SQLITE_IOERR: .inputOutput
            case SQLITE_TOOBIG: .recordTooLarge
            default: .refused
            }
    }
}

extension SQLiteRecordDatabaseError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension SQLiteRecordDatabaseError: CustomStringConvertible {
    /// What happened to which file, in one line.
    public var description: String {
        summary + place + reason.detail + (resultCode.map { " (SQLite's result \($0))" } ?? "")
            + underlyingError.detail + remedy
    }

    /// The damaged row.
    private var place: String {
        let parts = [recordID.map { "record \($0)" }, rowNumber.map { "row \($0)" }].compactMap(\.self)
        return parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")"
    }

    /// What to do about the damaged row.
    private var remedy: String {
        guard let rowNumber else { return "" }
        if recordID != nil { return "; delete the record or save it, whatever its version" }
        return "; remove the row with the SQL statements: "
            + Schema.removal(ofRow: rowNumber).joined(separator: "; ")
    }

    private var summary: String {
        switch code {
        case .busy: "the database \(path) was in use by others for too long; nothing was written"
        case .diskFull: "there is no room for what is to be written to the database \(path)"
        case .corrupt: "the database \(path) is damaged"
        case .readOnly: "the database \(path) cannot be written"
        case .notADatabase: "the file \(path) is not a database of SQLite"
        case .notARecordDatabase: "the database \(path) is not one of records"
        case .unsupportedVersion:
            "the database \(path) has tables of version \(schemaVersion.orUnknown), which this library does not know"
        case .cannotOpen: "the database \(path) cannot be opened"
        case .fileReplaced: "the database \(path) was replaced by another one since it was opened"
        case .invalidPath: "the path \(path.debugDescription) cannot be opened"
        case .recordTooLarge: "a record is too large for the database \(path)"
        case .inputOutput: "the system could not read or write the database \(path)"
        case .refused: "SQLite refuses something to the database \(path)"
        case .closed: "the database \(path) is closed"
        default: "\(code.rawValue) (database \(path))"
        }
    }
}
#endif

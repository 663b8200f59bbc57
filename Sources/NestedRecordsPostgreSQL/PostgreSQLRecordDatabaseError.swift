#if PostgreSQL
public import Foundation
public import NestedRecords

/// What can go wrong with the server of a ``PostgreSQLRecordDatabase``.
///
/// ``code`` identifies the error. Each code lists the properties that it sets. No error has a password in it.
/// Errors cannot be compared, since an underlying error cannot be either: compare codes and details.
public struct PostgreSQLRecordDatabaseError: Error, Sendable {
    private struct Details: Sendable {
        var code: Code
        var reason: String?
        var sqlState: String?
        var hint: String?
        var purpose: String?
        var commit: PostgreSQLCommit?
        var recordID: Record.ID?
        var underlyingError: (any Error)?
    }

    private let details: Box<Details>

    private init(_ details: Details) { self.details = Box(details) }

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - reason: Why, or nil if the code says enough.
    ///   - purpose: What was to be done, or nil.
    ///   - underlyingError: The error that led to this one, or nil.
    public init(_ code: Code, reason: String? = nil, purpose: String? = nil, underlyingError: (any Error)? = nil) {
        self.init(Details(code: code, reason: reason, purpose: purpose, underlyingError: underlyingError))
    }
}

extension PostgreSQLRecordDatabaseError {
    /// What went wrong.
    public var code: Code { details.value.code }

    /// Why: the message of the server or of libpq, or what the library found.
    public var reason: String? { details.value.reason }

    /// The five characters by which PostgreSQL identifies an error, such as `57014`.
    public var sqlState: String? { details.value.sqlState }

    /// What the server suggests, or what mends a damaged row.
    public var hint: String? { details.value.hint }

    /// What was to be done, such as `save`.
    public var purpose: String? { details.value.purpose }

    /// The batch whose outcome is not known; ``PostgreSQLRecordDatabase/outcome(of:)`` finds it out.
    public var commit: PostgreSQLCommit? { details.value.commit }

    /// The record whose row is damaged; nil if the row has no ID of a record.
    public var recordID: Record.ID? { details.value.recordID }

    /// The error that led to this one.
    public var underlyingError: (any Error)? { details.value.underlyingError }

    /// Whether nothing was done, and the same call may succeed later.
    ///
    /// It is so for a server that is not there or is being started or stopped, a lock that was not to be had, a deadlock,
    /// a statement that took too long, and a lack of memory, disk or connections.
    public var isTransient: Bool {
        switch code {
        case .notConnected, .contention: true
        // A commit is reported as one whose outcome is unknown, so that this is about reading.
        case .connectionLost: true
        case .refused:
            sqlState.map { state in
                ["08", "40", "53", "57P", "55P03", "57014"].contains { state.utf8.starts(with: $0.utf8) }
            } ?? false
        default: false
        }
    }
}

extension PostgreSQLRecordDatabaseError {
    /// What went wrong, without the details.
    ///
    /// Compare it with the constants; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The connection string cannot be read: ``reason``, which repeats nothing of it.
        public static let invalidConnection = Code(rawValue: "invalidConnection")

        /// The options cannot be used: ``reason``.
        public static let invalidOptions = Code(rawValue: "invalidOptions")

        /// There is no connection to the server, and nothing was done: ``reason``.
        public static let notConnected = Code(rawValue: "notConnected")

        /// The connection was lost while the server read: ``reason``, ``purpose``.
        public static let connectionLost = Code(rawValue: "connectionLost")

        /// The connection was lost while the server saved, so that the batch may be saved or not: ``commit``,
        /// ``underlyingError``.
        public static let unknownOutcome = Code(rawValue: "unknownOutcome")

        /// The server refused a statement, and nothing was done: ``sqlState``, ``reason``, ``hint``, ``purpose``.
        public static let refused = Code(rawValue: "refused")

        /// The tables are not there, or are those of another server: ``reason``.
        ///
        /// ``PostgreSQLRecordDatabase/prepare()`` makes them.
        public static let notPrepared = Code(rawValue: "notPrepared")

        /// The tables have a version that this library does not know: ``reason``.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")

        /// The server cannot do what was asked for: ``reason``.
        public static let unsupported = Code(rawValue: "unsupported")

        /// Other writers were faster again and again, and nothing was saved: ``reason``.
        public static let contention = Code(rawValue: "contention")

        /// What the server has of a record is not one: ``reason``, ``hint``, ``recordID``, ``underlyingError``.
        ///
        /// Deleting the record, or saving it whatever its version, mends the row. If it has no ID of a record, ``hint`` has
        /// the SQL statement that removes it.
        public static let damaged = Code(rawValue: "damaged")

        /// The database was closed.
        public static let closed = Code(rawValue: "closed")

        /// Returns whether an error is a ``PostgreSQLRecordDatabaseError`` with this code, for
        /// `catch PostgreSQLRecordDatabaseError.Code.notPrepared`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? PostgreSQLRecordDatabaseError)?.code == code
        }
    }
}

extension PostgreSQLRecordDatabaseError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { rawValue }
}

extension PostgreSQLRecordDatabaseError {
    /// The server refused a statement.
    static func refused(
        sqlState: String, message: String, hint: String?, purpose: String
    ) -> PostgreSQLRecordDatabaseError {
        PostgreSQLRecordDatabaseError(
            Details(code: .refused, reason: message, sqlState: sqlState, hint: hint, purpose: purpose))
    }

    /// The row of a record is damaged.
    static func damaged(
        _ id: Record.ID, what: String, underlyingError: (any Error)? = nil
    ) -> PostgreSQLRecordDatabaseError {
        PostgreSQLRecordDatabaseError(
            Details(
                code: .damaged, reason: "the row of \(id) has \(what)",
                hint: "delete the record or save it, whatever its version", recordID: id,
                underlyingError: underlyingError))
    }

    /// A row has no ID of a record.
    static func damagedID(
        type: String, name: String, in tables: Tables, _ underlyingError: any Error
    ) -> PostgreSQLRecordDatabaseError {
        PostgreSQLRecordDatabaseError(
            Details(
                code: .damaged,
                reason:
                    "the row with the type \(type.debugDescription) and the name \(name.debugDescription) has no ID",
                hint: "remove the row with the SQL statement: " + tables.removal(type: type, name: name),
                underlyingError: underlyingError))
    }

    /// The connection was lost while the server saved.
    static func unknownOutcome(
        of commit: PostgreSQLCommit, _ loss: PostgreSQLRecordDatabaseError
    ) -> PostgreSQLRecordDatabaseError {
        PostgreSQLRecordDatabaseError(
            Details(code: .unknownOutcome, purpose: loss.purpose, commit: commit, underlyingError: loss))
    }

    /// Whether the server ends the connection with this error.
    var endsConnection: Bool { sqlState.map { ["57P01", "57P02", "57P03", "57P05"].contains($0) } ?? false }

    /// Whether the server gave up what it was asked to give up.
    var isCancellation: Bool { sqlState == "57014" }

    /// Whether other writers were in the way, so that the same transaction may succeed at once.
    var isSerializationFailure: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// Whether a condition in the statement did not hold.
    var isUnmetCondition: Bool { sqlState == "22012" }

    /// Whether a table, a column or a schema is not there.
    var isMissingTable: Bool { sqlState.map { ["42P01", "3F000", "42703"].contains($0) } ?? false }

    /// Whether the server, or the user's rights on it, allow only to read.
    var forbidsWriting: Bool { sqlState == "25006" || sqlState == "42501" }

    /// Whether there is such a thing already.
    var isRepetition: Bool { sqlState == "23505" }
}

extension PostgreSQLRecordDatabaseError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension PostgreSQLRecordDatabaseError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        let text = summary + reason.detail + (underlyingError.map { " (\($0))" } ?? "") + (hint.map { "; \($0)" } ?? "")
        return text.unicodeScalars.split(whereSeparator: \.isLineBreak).map { String($0) }.joined(separator: " ")
    }

    private var summary: String {
        switch code {
        case .invalidConnection: "the connection string cannot be read"
        case .invalidOptions: "the options cannot be used"
        case .notConnected: "the PostgreSQL server cannot be reached"
        case .connectionLost:
            "the connection to the PostgreSQL server was lost" + (purpose.map { " (to \($0))" } ?? "")
        case .unknownOutcome:
            "the connection to the PostgreSQL server was lost while it saved, so that the batch may be saved or not"
        case .refused:
            "the PostgreSQL server refused to " + (purpose ?? "do this")
                + (sqlState.map { " (SQLSTATE \($0))" } ?? "")
        case .notPrepared: "the PostgreSQL server has no tables for records here; call prepare() first"
        case .unsupportedVersion: "the tables on the PostgreSQL server are not those of this version of the library"
        case .unsupported: "this PostgreSQL server cannot be used for it"
        case .contention: "other writers were faster again and again, nothing was saved"
        case .damaged: "what the PostgreSQL server has of a record is damaged"
        case .closed: "the database is closed"
        default: code.rawValue
        }
    }
}
#endif

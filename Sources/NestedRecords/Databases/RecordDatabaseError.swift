/// Errors of a database, its file or its server.
///
/// ``code`` identifies the error. Each code lists the properties that it sets. Errors cannot be compared, since
/// underlying errors cannot: compare codes and details.
public struct RecordDatabaseError: ClassifiedError {
    private struct Details: Sendable {
        var code: Code
        var reason: String?
        var recordID: Record.ID?
        var clientRecord: Record?
        var serverRecord: Record?
        var expectedVersion: RecordBatch.Version?
        var count: Int?
        var limit: Int?
        var savedMetadata: [Record.ID: Record.Metadata] = [:]
        var deletedIDs: [Record.ID] = []
        var references: [DanglingReference] = []
        var expiry: ChangeToken.Expiry?
        var path: String?
        var offset: Int?
        var operation: String?
        var systemCode: String?
        var version: Int?
        var hint: String?
        var isTransient: Bool?
        var commitID: String?
        var underlyingError: (any Error)?
    }

    private let details: Box<Details>

    private init(_ details: Details) {
        self.details = Box(details)
    }

    /// Makes an error, possibly with a custom code of a database.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: The details, or nil if the code is enough.
    ///   - recordID: The record of the error, or nil.
    ///   - path: The path of the database's file, or nil.
    ///   - offset: The offset of the damage in the file, in bytes, or nil.
    ///   - operation: The operation that failed, such as `open`, or nil.
    ///   - systemCode: The error code of the system or the database engine, such as a number or an SQLSTATE, or nil.
    ///   - version: The version of the format or of the tables, or nil.
    ///   - commitID: The identifier of a batch whose outcome is unknown, or nil.
    ///   - hint: Advice for the user, or nil.
    ///   - isTransient: Whether nothing was done, and the same call may succeed later; nil for the value of the code.
    ///   - underlyingError: The error that caused this one, or nil.
    public init(
        _ code: Code, reason: String? = nil, recordID: Record.ID? = nil, path: String? = nil, offset: Int? = nil,
        operation: String? = nil, systemCode: String? = nil, version: Int? = nil, commitID: String? = nil,
        hint: String? = nil, isTransient: Bool? = nil, underlyingError: (any Error)? = nil
    ) {
        self.init(
            Details(
                code: code, reason: reason, recordID: recordID, path: path, offset: offset, operation: operation,
                systemCode: systemCode, version: version, hint: hint, isTransient: isTransient, commitID: commitID,
                underlyingError: underlyingError))
    }
}

extension RecordDatabaseError {
    /// What is wrong.
    public var code: Code { details.value.code }

    /// The details, where the code alone is not enough.
    public var reason: String? { details.value.reason }

    /// The record of the error.
    public var recordID: Record.ID? { details.value.recordID }

    /// The record to save.
    public var clientRecord: Record? { details.value.clientRecord }

    /// The record in the database; also nil if it is hidden, because it is outside the scope of a ``RecordRepository``.
    public var serverRecord: Record? { details.value.serverRecord }

    /// The required version of the record.
    public var expectedVersion: RecordBatch.Version? { details.value.expectedVersion }

    /// The number of records in the batch.
    public var count: Int? { details.value.count }

    /// The maximum number of records in a batch.
    public var limit: Int? { details.value.limit }

    /// The new metadata of the records that were saved before the error.
    public var savedMetadata: [Record.ID: Record.Metadata] { details.value.savedMetadata }

    /// The records that were deleted before the error.
    public var deletedIDs: [Record.ID] { details.value.deletedIDs }

    /// The references that prevent a deletion.
    public var references: [DanglingReference] { details.value.references }

    /// Why a change token has expired.
    public var expiry: ChangeToken.Expiry? { details.value.expiry }

    /// The path of the database's file.
    public var path: String? { details.value.path }

    /// The offset of the damage in the file, in bytes.
    public var offset: Int? { details.value.offset }

    /// The operation that failed, such as `open`.
    public var operation: String? { details.value.operation }

    /// The error code of the system or the database engine: the number of a system error, SQLite's extended result
    /// code, or the five characters of an SQLSTATE.
    public var systemCode: String? { details.value.systemCode }

    /// The version of the file's format or of the tables.
    public var version: Int? { details.value.version }

    /// The identifier of the batch whose outcome is unknown.
    public var commitID: String? { details.value.commitID }

    /// Advice for the user.
    public var hint: String? { details.value.hint }

    /// The error that caused this one.
    public var underlyingError: (any Error)? { details.value.underlyingError }

    /// The meaning of the error for the caller: that of the code, or of the underlying error of an interruption.
    public var kind: ErrorKind {
        switch code {
        case .conflict where clientRecord?.metadata == nil: .alreadyExists
        case .partiallySaved, .partiallyDeleted: underlyingError.flatMap(ErrorKind.init(of:)) ?? code.kind
        case .refused where isTransient: .unavailable
        default: code.kind
        }
    }

    /// Whether nothing was done, and the same call may succeed later.
    public var isTransient: Bool { details.value.isTransient ?? code.isTransient }
}

extension ErrorCode<RecordDatabaseError> {
    /// The record to save was made from another version than the database holds: `recordID`, `clientRecord`, and
    /// `serverRecord` unless it is hidden.
    public static var conflict: Self { Self("conflict", kind: .conflict) }

    /// The record to save has a version, but the record does not exist in the database: `recordID`, `clientRecord`.
    public static var unknownRecord: Self { Self("unknownRecord", kind: .conflict) }

    /// A record to delete, or a condition of a batch, does not have the required version: `recordID`,
    /// `expectedVersion`, which an entity tag does not have, and `serverRecord` if the record exists.
    public static var versionMismatch: Self { Self("versionMismatch", kind: .conflict) }

    /// A batch names a record more than once: `recordID`.
    public static var duplicateID: Self { Self("duplicateID", kind: .invalidInput) }

    /// A batch has more records than the database accepts: `count`, `limit`.
    public static var batchTooLarge: Self { Self("batchTooLarge", kind: .invalidInput) }

    /// A graph that is larger than a batch was saved in part: `savedMetadata`, `underlyingError`.
    ///
    /// Records that were merged with other writers' changes are not in `savedMetadata`: with their new versions the
    /// graph would overwrite the merged changes.
    public static var partiallySaved: Self { Self("partiallySaved", kind: .unavailable) }

    /// A deletion of several batches was interrupted: only the records in `deletedIDs` were deleted, because of
    /// `underlyingError`.
    public static var partiallyDeleted: Self { Self("partiallyDeleted", kind: .unavailable) }

    /// Remaining records refer to records to delete: `references`, and the `recordID` of the first record to delete.
    public static var stillReferenced: Self { Self("stillReferenced", kind: .conflict) }

    /// A value was saved completely, but cannot be decoded from the saved records: `savedMetadata`, `underlyingError`.
    public static var savedButNotDecoded: Self { Self("savedButNotDecoded", kind: .damaged) }

    /// A database cannot report the changes since a token: `expiry`.
    public static var changeTokenExpired: Self { Self("changeTokenExpired", kind: .unsupported) }

    /// Values were to be followed in a database that has no feed of changes.
    public static var noFeed: Self { Self("noFeed", kind: .invalidInput) }

    /// A transaction was used after its end.
    public static var transactionEnded: Self { Self("transactionEnded", kind: .invalidInput) }

    // MARK: Storage

    /// Another process or database has the file open for writing.
    public static var locked: Self { Self("locked", kind: .unavailable, isTransient: true) }

    /// Other users blocked the database for too long, and nothing was written.
    public static var busy: Self { Self("busy", kind: .unavailable, isTransient: true) }

    /// There is no connection to the server, and nothing was done.
    public static var notConnected: Self { Self("notConnected", kind: .unavailable, isTransient: true) }

    /// The connection was lost while the server read.
    public static var connectionLost: Self { Self("connectionLost", kind: .unavailable, isTransient: true) }

    /// The connection was lost during a save, and the batch may or may not be saved: `commitID`, `underlyingError`.
    public static var unknownOutcome: Self { Self("unknownOutcome", kind: .unavailable) }

    /// The disk is full, or a size limit was reached.
    public static var diskFull: Self { Self("diskFull", kind: .unavailable, isTransient: true) }

    /// An operation of the system failed: `operation`, `systemCode`.
    public static var inputOutput: Self { Self("inputOutput", kind: .unavailable) }

    /// The database cannot be opened.
    public static var cannotOpen: Self { Self("cannotOpen", kind: .unavailable) }

    /// The file was moved, deleted or replaced since it was opened, and nothing was written.
    public static var fileReplaced: Self { Self("fileReplaced", kind: .unavailable) }

    /// The database was closed.
    public static var closed: Self { Self("closed", kind: .unavailable) }

    /// The server has no tables for records, or those of another server.
    public static var notPrepared: Self { Self("notPrepared", kind: .unavailable) }

    /// Stored data is damaged: `path` and `offset` in a file, `recordID` and `hint` if they are known.
    public static var corrupt: Self { Self("corrupt", kind: .damaged) }

    /// The library does not know the version of the file or the tables: `version`.
    public static var unsupportedVersion: Self { Self("unsupportedVersion", kind: .unsupported) }

    /// The database, its options or the user's permissions only allow reading.
    public static var readOnly: Self { Self("readOnly", kind: .unsupported) }

    /// The file cannot be replaced, so that it cannot be compacted: `underlyingError`.
    public static var notReplaceable: Self { Self("notReplaceable", kind: .unsupported) }

    /// The file has several names (hard links), and only one would refer to the compacted file: `reason`.
    public static var hardLinked: Self { Self("hardLinked", kind: .unsupported) }

    /// The database does not support the operation.
    public static var unsupported: Self { Self("unsupported", kind: .unsupported) }

    /// The database engine rejected a statement, and nothing was done: `systemCode`, `operation`.
    public static var refused: Self { Self("refused", kind: .unsupported) }

    /// The file is not a record database.
    public static var notARecordDatabase: Self { Self("notARecordDatabase", kind: .invalidInput) }

    /// The path is not valid for a file.
    public static var invalidPath: Self { Self("invalidPath", kind: .invalidInput) }

    /// The connection string is malformed; `reason` does not quote it.
    public static var invalidConnection: Self { Self("invalidConnection", kind: .invalidInput) }

    /// The options are not valid.
    public static var invalidOptions: Self { Self("invalidOptions", kind: .invalidInput) }

    /// A record is larger than the database can store.
    public static var recordTooLarge: Self { Self("recordTooLarge", kind: .invalidInput) }
}

extension RecordDatabaseError {
    /// The record to save was made from another version than the database holds.
    public static func conflict(client: Record, server: Record) -> RecordDatabaseError {
        RecordDatabaseError(
            Details(code: .conflict, recordID: client.id, clientRecord: client, serverRecord: server))
    }

    /// The record to save has a version, but the record does not exist in the database.
    public static func unknownRecord(_ record: Record) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .unknownRecord, recordID: record.id, clientRecord: record))
    }

    /// A record to delete, or a condition of a batch, does not have the required version.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - expected: The required version; nil if it was required by an entity tag.
    ///   - server: The record in the database; nil if it does not exist.
    public static func versionMismatch(
        _ id: Record.ID, expected: RecordBatch.Version?, server: Record?
    ) -> RecordDatabaseError {
        RecordDatabaseError(
            Details(code: .versionMismatch, recordID: id, serverRecord: server, expectedVersion: expected))
    }

    /// A batch names this record more than once.
    public static func duplicateID(_ id: Record.ID) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .duplicateID, recordID: id))
    }

    /// A batch has more records than the database accepts.
    public static func batchTooLarge(count: Int, limit: Int) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .batchTooLarge, count: count, limit: limit))
    }

    /// A database cannot report the changes since a token.
    ///
    /// - Parameter expiry: The reason.
    public static func changeTokenExpired(_ expiry: ChangeToken.Expiry) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .changeTokenExpired, expiry: expiry))
    }

    package static func partiallySaved(
        _ saved: [Record.ID: Record.Metadata], underlyingError: any Error
    ) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .partiallySaved, savedMetadata: saved, underlyingError: underlyingError))
    }

    static func savedButNotDecoded(
        _ saved: [Record.ID: Record.Metadata], underlyingError: any Error
    ) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .savedButNotDecoded, savedMetadata: saved, underlyingError: underlyingError))
    }

    package static func partiallyDeleted(_ deleted: [Record.ID], underlyingError: any Error) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .partiallyDeleted, deletedIDs: deleted, underlyingError: underlyingError))
    }

    static func stillReferenced(_ references: [DanglingReference]) -> RecordDatabaseError {
        RecordDatabaseError(
            Details(code: .stillReferenced, recordID: references.first?.target, references: references))
    }
}

extension RecordDatabaseError {
    /// This error and its underlying errors, without hidden records of the database.
    ///
    /// - Parameters:
    ///   - reason: The reason why a name is taken, in place of the record with the name.
    ///   - isHidden: Whether a record is hidden.
    func withoutServerRecord(reason: String, where isHidden: (Record) -> Bool) -> RecordDatabaseError {
        var details = details.value
        if let record = details.serverRecord, isHidden(record) {
            details.serverRecord = nil
            if code == .conflict { details.reason = reason }
        }
        if let error = details.underlyingError as? RecordDatabaseError {
            details.underlyingError = error.withoutServerRecord(reason: reason, where: isHidden)
        }
        return RecordDatabaseError(details)
    }

    /// Whether another writer changed, added or deleted a record since it was read, and nothing was saved.
    var isOvertaken: Bool { [.conflict, .versionMismatch, .unknownRecord].contains(code) }
}

extension RecordDatabaseError {
    /// The error in one line.
    public var description: String {
        let text =
            summary + reason.detail + (systemCode.map { " (error \($0))" } ?? "") + underlyingError.detail
            + (hint.map { "; \($0)" } ?? "")
        // Messages of servers may have several lines.
        return text.unicodeScalars.split(whereSeparator: \.isLineBreak).map { String($0) }.joined(separator: " ")
    }

    private var file: String { path.map { "the file \($0)" } ?? "the database" }

    private var database: String { path.map { "the database in the file \($0)" } ?? "the database" }

    private var clientVersion: String {
        clientRecord?.metadata.map { "is of version \($0.changeTag)" } ?? "names no version"
    }

    private var summary: String {
        switch code {
        case .conflict where serverRecord == nil: "the name of the record \(recordID.orUnknown) is taken"
        case .conflict where clientRecord != nil && clientRecord?.metadata == nil:
            "there is a record \(recordID.orUnknown) already, of version "
                + "\(serverRecord?.metadata?.changeTag ?? "unknown"), and the one to save names no version"
        case .conflict:
            "the record \(recordID.orUnknown) to save \(clientVersion), "
                + "the database holds version \(serverRecord?.metadata?.changeTag ?? "unknown")"
        case .unknownRecord:
            "the record \(recordID.orUnknown) to save is of version \(clientRecord?.metadata?.changeTag ?? "none"), "
                + "the database holds no such record"
        case .versionMismatch where expectedVersion == nil:
            "the value of the record \(recordID.orUnknown) is not in the version that was asked for"
        case .versionMismatch:
            "the record \(recordID.orUnknown) is expected \((expectedVersion?.phrase).orUnknown), "
                + (serverRecord.map { "the database holds version \($0.metadata?.changeTag ?? "unknown")" }
                    ?? "the database holds no such record")
        case .duplicateID: "the record \(recordID.orUnknown) is named twice in one batch"
        case .batchTooLarge:
            "the batch has \(count.orUnknown) records, the database takes \(limit.orUnknown) at a time"
        case .partiallySaved:
            "only a part of the graph was saved, \(savedMetadata.count) of its records as given"
        case .partiallyDeleted:
            "only the first \(deletedIDs.count) records were deleted (\(deletedIDs.shortList))"
        case .stillReferenced:
            "the record \(recordID.orUnknown) cannot be deleted"
                + (references.first.map { ": it is referred to \($0.context)" } ?? "")
                + (references.count > 1 ? ", and there are \(references.count - 1) more references" : "")
        case .savedButNotDecoded:
            savedMetadata.count == 1
                ? "1 record was saved, but the value cannot be decoded from it"
                : "\(savedMetadata.count) records were saved, but the value cannot be decoded from them"
        case .changeTokenExpired:
            switch expiry {
            case .purged?: "the change token is too old: deletions since then are no longer recorded"
            case .otherStore?: "the change token belongs to another database"
            case .wentBack?: "the database was restored to an earlier state than that of the change token"
            case nil: "the change token has expired"
            }
        case .noFeed: "the database has no feed of changes, so values cannot be followed in it"
        case .transactionEnded: "the transaction has ended, so nothing can be read or written in it"
        case .locked: "\(file) is open for writing somewhere else"
        case .busy: "\(database) was in use by others for too long; nothing was written"
        case .notConnected: "the database server cannot be reached"
        case .connectionLost: "the connection to the database was lost" + (operation.map { " (to \($0))" } ?? "")
        case .unknownOutcome:
            "the connection to the database was lost during a save; the batch may or may not be saved"
        case .diskFull: "there is no room to \(operation ?? "write") \(file)"
        case .inputOutput: "the system could not \(operation ?? "read or write") \(file)"
        case .cannotOpen: "\(file) cannot be opened"
        case .fileReplaced: "\(file) was moved, deleted or replaced since it was opened; nothing was written"
        case .closed: "\(database) is closed"
        case .notPrepared: "the database has no tables for records; call prepare() first"
        case .corrupt:
            "\(file) is damaged" + (offset.map { " at byte \($0)" } ?? "")
                + (recordID.map { " (record \($0))" } ?? "")
        case .unsupportedVersion: "\(file) is of version \(version.orUnknown), which this library does not know"
        case .readOnly: "\(file) cannot be written"
        case .notReplaceable: "\(file) cannot be replaced by a compacted one"
        case .hardLinked: "\(file) cannot be compacted, as it has several names (hard links)"
        case .unsupported: "the database does not support the operation"
        case .refused: "\(database) refused to \(operation ?? "do this")"
        case .notARecordDatabase: "\(file) is not a database of records"
        case .invalidPath: "the path \(path.orUnknown.debugDescription) cannot be opened"
        case .invalidConnection: "the connection string cannot be read"
        case .invalidOptions: "the options cannot be used"
        case .recordTooLarge: "a record is too large for \(database)"
        default: code.rawValue + (recordID.map { " (record \($0))" } ?? "") + (path.map { " (file \($0))" } ?? "")
        }
    }
}

extension RecordBatch.Version {
    /// The version, in words that follow "is expected".
    fileprivate var phrase: String {
        switch self {
        case .any: "in any version"
        case .missing: "to be missing"
        case .changeTag(let tag): "in version \(tag)"
        }
    }
}

extension Unicode.Scalar {
    package var isLineBreak: Bool { Character(self).isNewline }  // Characters: of this scalar alone
}

/// Errors of a database, its file or its server.
///
/// ``code`` identifies the error. Each code lists the properties that it sets, and its ``Detail``. Errors cannot be
/// compared, since underlying errors cannot: compare codes and details.
public struct RecordDatabaseError: ClassifiedError {
    /// What is wrong.
    public let code: Code

    /// The details, where the code alone is not enough.
    public var reason: String?

    /// The record of the error.
    public var recordID: Record.ID?

    /// The path of the database's file.
    public var path: String?

    /// The field that prevents a save, and the way to its record in the value that was inserted.
    public var context: RecordContext

    /// What errors with this code have besides; nil for a code without a detail, and if it is unknown.
    public var detail: Detail?

    /// Advice for the user.
    public var hint: String?

    /// The time after which the same call may succeed, if the database says so.
    public var retryAfter: Duration?

    /// The errors of single records, where the database reports each.
    public var failures: [Record.ID: any Error] = [:]

    /// The error that caused this one.
    public var underlyingError: (any Error)?

    /// Whether nothing was done, and the same call may succeed later.
    public var isTransient: Bool

    /// What the errors with one code have, and others do not.
    public enum Detail: Sendable {
        /// The record to save; the one in the database, nil if it is missing or outside the scope of a
        /// ``ScopedRecordDatabase``; the required version, nil if it was required by an entity tag.
        case versions(client: Record? = nil, server: Record? = nil, expected: RecordBatch.Version? = nil)

        /// The new metadata of the records that were saved before the error.
        case saved([Record.ID: Record.Metadata])

        /// The records that were deleted before the error.
        case deleted([Record.ID])

        /// The references that prevent a deletion.
        case references([DanglingReference])

        /// The capabilities that the database lacks.
        case missing(RecordCapabilities)

        /// The number of records in a batch, and the maximum number.
        case size(Int, limit: Int)

        /// Why a change token has expired.
        case expiry(ChangeToken.Expiry)

        /// The identifier of a batch.
        case batch(String)

        /// The offset of the damage in a file, in bytes.
        case offset(Int)

        /// The version of a file's format or of the tables.
        case version(Int)

        /// The operation that failed, such as `open`, and the error code of the system or the database engine: the
        /// number of a system error, SQLite's extended result code, or the five characters of an SQLSTATE.
        case system(operation: String? = nil, code: String? = nil)
    }

    /// Makes an error, possibly with a custom code of a database.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - detail: What errors with the code have, or nil.
    ///   - reason: The details, or nil if the code is enough.
    ///   - recordID: The record of the error; nil for the one of the detail.
    ///   - path: The path of the database's file, or nil.
    ///   - context: The field of the error, and the way to its record.
    ///   - hint: Advice for the user, or nil.
    ///   - isTransient: Whether nothing was done, and the same call may succeed later; nil for the value of the code.
    ///   - underlyingError: The error that caused this one, or nil.
    public init(
        _ code: Code, _ detail: Detail? = nil, reason: String? = nil, recordID: Record.ID? = nil, path: String? = nil,
        context: RecordContext = RecordContext(), hint: String? = nil, isTransient: Bool? = nil,
        underlyingError: (any Error)? = nil
    ) {
        (self.code, self.detail, self.reason, self.path) = (code, detail, reason, path)
        (self.context, self.hint, self.underlyingError) = (context, hint, underlyingError)
        self.isTransient = isTransient ?? code.isTransient
        self.recordID = recordID ?? context.record ?? clientRecord?.id ?? serverRecord?.id ?? references.first?.target
    }
}

extension RecordDatabaseError {
    /// The record to save, of the detail.
    public var clientRecord: Record? { if case .versions(let client, _, _) = detail { client } else { nil } }

    /// The record in the database, of the detail.
    public var serverRecord: Record? { if case .versions(_, let server, _) = detail { server } else { nil } }

    package var expectedVersion: RecordBatch.Version? {
        if case .versions(_, _, let expected) = detail { expected } else { nil }
    }

    /// The new metadata of the records that were saved before the error, of the detail.
    public var savedMetadata: [Record.ID: Record.Metadata] { if case .saved(let saved) = detail { saved } else { [:] } }

    /// The records that were deleted before the error, of the detail.
    public var deletedIDs: [Record.ID] { if case .deleted(let ids) = detail { ids } else { [] } }

    /// The references that prevent a deletion, of the detail.
    public var references: [DanglingReference] { if case .references(let found) = detail { found } else { [] } }

    /// The capabilities that the database lacks, of the detail.
    public var missingCapabilities: RecordCapabilities { if case .missing(let found) = detail { found } else { [] } }

    /// Why a change token has expired, of the detail.
    public var expiry: ChangeToken.Expiry? { if case .expiry(let expiry) = detail { expiry } else { nil } }

    /// The identifier of the batch, of the detail.
    public var batchID: String? { if case .batch(let id) = detail { id } else { nil } }

    package var offset: Int? { if case .offset(let offset) = detail { offset } else { nil } }

    package var operation: String? { if case .system(let operation, _) = detail { operation } else { nil } }

    package var systemCode: String? { if case .system(_, let code) = detail { code } else { nil } }
}

extension RecordDatabaseError {
    /// The meaning of the error for the caller: that of the code, or of the underlying error of an interruption.
    public var kind: ErrorKind {
        switch code {
        case .conflict where clientRecord?.metadata == nil: .alreadyExists
        case .partiallySaved, .partiallyDeleted: underlyingError.flatMap(ErrorKind.init(of:)) ?? code.kind
        case .refused where isTransient: .unavailable
        default: code.kind
        }
    }
}

extension ErrorCode<RecordDatabaseError> {
    /// The record to save was made from another version than the database holds: `recordID`, `versions`; for
    /// an insert also `hint`, and `context` with the first field that differs.
    public static var conflict: Self { Self("conflict", kind: .conflict) }

    /// Another record has the value of a unique property: `recordID` of the record to save, and `context` with the field.
    public static var valueTaken: Self { Self("valueTaken", kind: .alreadyExists) }

    /// The database lacks the content of an asset in a record to save, or the scope does not show it: `reason`, `hint`, and
    /// `context` with the field.
    public static var missingAsset: Self { Self("missingAsset", kind: .invalidInput) }

    /// An upload of an asset does not exist, or no longer: `reason`.
    public static var unknownUpload: Self { Self("unknownUpload", kind: .notFound) }

    /// A chunk or the end of an upload does not fit to what it has: `reason`.
    public static var invalidUpload: Self { Self("invalidUpload", kind: .invalidInput) }

    /// A content has more bytes than the caller allows: `reason`.
    public static var assetTooLarge: Self { Self("assetTooLarge", kind: .invalidInput) }

    /// The record to save has a version, but the record does not exist in the database: `recordID`, `versions`.
    public static var unknownRecord: Self { Self("unknownRecord", kind: .conflict) }

    /// A record to delete, or a condition of a batch, does not have the required version: `recordID`, `versions`.
    public static var versionMismatch: Self { Self("versionMismatch", kind: .conflict) }

    /// A batch names a record more than once: `recordID`.
    public static var duplicateID: Self { Self("duplicateID", kind: .invalidInput) }

    /// A batch has more records than the database accepts: `size`.
    public static var batchTooLarge: Self { Self("batchTooLarge", kind: .invalidInput) }

    /// A graph that is larger than a batch was saved in part: `saved`, `underlyingError`.
    ///
    /// Records that were merged with other writers' changes are not in `saved`: with their new versions the graph would
    /// overwrite the merged changes.
    public static var partiallySaved: Self { Self("partiallySaved", kind: .unavailable) }

    /// A deletion of several batches was interrupted: only the records in `deleted` were deleted, because of
    /// `underlyingError`.
    public static var partiallyDeleted: Self { Self("partiallyDeleted", kind: .unavailable) }

    /// Remaining records refer to records to delete: `references`, and the `recordID` of the first record to delete.
    public static var stillReferenced: Self { Self("stillReferenced", kind: .conflict) }

    /// A value was saved completely, but cannot be decoded from the saved records: `saved`, `underlyingError`.
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

    /// Too many commits wait in the queue of a ``QueuedRecordDatabase``, and nothing was written.
    public static var overloaded: Self { Self("overloaded", kind: .unavailable, isTransient: true) }

    /// The caller has sent more calls than the database accepts, and nothing was done: `retryAfter`.
    public static var tooManyRequests: Self { Self("tooManyRequests", kind: .unavailable, isTransient: true) }

    /// The caller's quota is used up, and nothing was done.
    public static var quotaExceeded: Self { Self("quotaExceeded", kind: .unavailable) }

    /// The caller is not signed in, or no longer.
    public static var notSignedIn: Self { Self("notSignedIn", kind: .unauthenticated) }

    /// The caller is signed in, and may not do this: `recordID` if it is about one record.
    public static var notPermitted: Self { Self("notPermitted", kind: .forbidden) }

    /// The outcome of a batch is no longer known: `batch`.
    public static var outcomeForgotten: Self { Self("outcomeForgotten", kind: .unsupported) }

    /// A batch with the same identifier was applied or voided before, and nothing was written: `batch`.
    public static var batchVoided: Self { Self("batchVoided", kind: .conflict) }

    /// There is no connection to the server, and nothing was done.
    public static var notConnected: Self { Self("notConnected", kind: .unavailable, isTransient: true) }

    /// The connection was lost while the server read.
    public static var connectionLost: Self { Self("connectionLost", kind: .unavailable, isTransient: true) }

    /// The connection was lost during a save, and the batch may or may not be saved: `batch`, `underlyingError`.
    public static var unknownOutcome: Self { Self("unknownOutcome", kind: .unavailable) }

    /// The disk is full, or a size limit was reached.
    public static var diskFull: Self { Self("diskFull", kind: .unavailable, isTransient: true) }

    /// An operation of the system failed: `system`.
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

    /// The database does not support the operation, and nothing was written: `missing`.
    public static var unsupported: Self { Self("unsupported", kind: .unsupported) }

    /// The database has no index for the call, and must not examine all records: `hint`.
    public static var scanRefused: Self { Self("scanRefused", kind: .unsupported) }

    /// The database engine rejected a statement, and nothing was done: `system`.
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
    /// Whether a record that refers to one to delete was saved since the plan was made, and nothing was done.
    ///
    /// Without the references it is a record outside the scope, which another plan does not see either.
    var isNewReference: Bool { code == .stillReferenced && !references.isEmpty }

    /// Whether another writer changed, added or deleted a record since it was read, and nothing was saved.
    var isOvertaken: Bool {
        // A taken name stays taken: a conflict without the record in the database is not tried again.
        code == .conflict ? serverRecord != nil : [.versionMismatch, .unknownRecord].contains(code)
    }
}

extension RecordDatabaseError {
    /// The error in one line.
    public var description: String {
        let text =
            summary + place + reason.detail + (systemCode.map { " (error \($0))" } ?? "") + underlyingError.detail
            + (hint.map { "; \($0)" } ?? "")
        // Messages of servers may have several lines.
        return text.unicodeScalars.split(whereSeparator: \.isLineBreak).map { String($0) }.joined(separator: " ")
    }

    private var place: String {
        let field = code == .conflict ? context.field.map { ", and the field '\($0)' differs" } ?? "" : ""
        return field + (context.chain.count > 1 ? " (\(context.chain.chainText))" : "")
    }

    private var file: String { path.map { "the file \($0)" } ?? "the database" }

    private var database: String { path.map { "the database in the file \($0)" } ?? "the database" }

    private var record: String { "record \(recordID.orUnknown)" }

    private var ofRecord: String { recordID.map { " (record \($0))" } ?? "" }

    private var versionToSave: String { clientRecord?.metadata?.changeTag ?? "unknown" }

    private var serverVersion: String { serverRecord?.metadata?.changeTag ?? "unknown" }

    private var summary: String {
        switch code {
        case .conflict where serverRecord == nil: "the name of the record \(recordID.orUnknown) is taken"
        case .conflict where clientRecord != nil && clientRecord?.metadata == nil:
            "\(record) already exists (version \(serverVersion))"
        case .conflict: "\(record) is at version \(serverVersion), and the one to save is at version \(versionToSave)"
        case .valueTaken:
            "the value of '\(context.field.orUnknown)' in \(recordID.orUnknown) is unique, and another record has it"
        case .unknownRecord: "\(record) does not exist, and the one to save is at version \(versionToSave)"
        case .versionMismatch:
            switch (expectedVersion, serverRecord) {
            case (nil, _): "\(record) is not at the requested version"
            case (.changeTag(let tag)?, nil): "\(record) does not exist, and is requested at version \(tag)"
            case (_, nil): "\(record) does not exist"
            case (.changeTag(let tag)?, _?):
                "\(record) is at version \(serverVersion), not at the requested version \(tag)"
            case (.missing?, _?), (.any?, _?), (.exists?, _?): "\(record) already exists (version \(serverVersion))"
            }
        case .duplicateID: "the record \(recordID.orUnknown) is named twice in one batch"
        case .batchTooLarge:
            if case .size(let count, let limit) = detail {
                "the batch has \(count) records, the database takes \(limit) at a time"
            } else {
                "the batch is too large"
            }
        case .partiallySaved:
            if case .saved(let saved) = detail {
                "only a part of the graph was saved, \(saved.count) of its records as given"
            } else {
                "only a part of the graph was saved"
            }
        case .partiallyDeleted:
            if case .deleted(let ids) = detail {
                "only the first \(ids.count) records were deleted (\(ids.shortList))"
            } else {
                "only a part of the records was deleted"
            }
        case .missingAsset: "the content of an asset is missing" + ofRecord
        case .assetTooLarge: "the content of an asset is too large"
        case .unknownUpload: "there is no such upload of an asset"
        case .invalidUpload: "an upload of an asset is not complete"
        case .stillReferenced:
            "the record \(recordID.orUnknown) cannot be deleted"
                + (references.first.map { ": it is referred to \($0.context)" } ?? "")
                + (references.count > 1 ? ", and by \((references.count - 1).counted("more reference"))" : "")
        case .savedButNotDecoded:
            switch detail {
            case .saved(let saved) where saved.count == 1: "1 record was saved, but the value cannot be decoded from it"
            case .saved(let saved): "\(saved.count) records were saved, but the value cannot be decoded from them"
            default: "the value was saved, but cannot be decoded"
            }
        case .changeTokenExpired:
            switch detail {
            case .expiry(.purged): "the change token is too old: deletions since then are no longer recorded"
            case .expiry(.otherStore): "the change token belongs to another database"
            case .expiry(.wentBack): "the database was restored to an earlier state than that of the change token"
            case .expiry(.scopeChanged): "the change token belongs to a scope with other rules"
            case .expiry(.otherReader): "the change token belongs to another reader"
            default: "the change token has expired"
            }
        case .noFeed: "the database has no feed of changes, so values cannot be followed in it"
        case .transactionEnded: "the transaction has ended, so nothing can be read or written in it"
        case .locked: "\(file) is open for writing somewhere else"
        case .busy: "\(database) was in use by others for too long; nothing was written"
        case .overloaded: "too many commits wait for the database; nothing was written"
        case .tooManyRequests: "too many calls were sent to the database; nothing was done"
        case .quotaExceeded: "the quota of the database is used up; nothing was done"
        case .notSignedIn: "the database needs a caller who is signed in"
        case .notPermitted: "the caller may not do this" + ofRecord
        case .outcomeForgotten: "the outcome of the batch \(batchID.orUnknown) is no longer known"
        case .batchVoided: "the batch \(batchID.orUnknown) was applied or voided before; nothing was written"
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
            if case .offset(let offset) = detail {
                "\(file) is damaged at byte \(offset)" + ofRecord
            } else {
                "\(file) is damaged" + ofRecord
            }
        case .unsupportedVersion:
            if case .version(let version) = detail {
                "\(file) is of version \(version), which this library does not know"
            } else {
                "\(file) is of a version that this library does not know"
            }
        case .readOnly: "\(file) cannot be written"
        case .notReplaceable: "\(file) cannot be replaced by a compacted one"
        case .hardLinked: "\(file) cannot be compacted, as it has several names (hard links)"
        case .unsupported: "the database does not support the operation"
        case .refused: "\(database) refused to \(operation ?? "do this")"
        case .notARecordDatabase: "\(file) is not a database of records"
        case .invalidPath: "the path \(path.orUnknown.debugDescription) cannot be opened"
        case .invalidConnection: "the connection string cannot be read"
        case .invalidOptions: "the options cannot be used"
        case .recordTooLarge:
            (recordID.map { "the record \($0)" } ?? "a record") + " is too large for \(database)"
                + (context.field.map { ", most of it in the field '\($0)'" } ?? "")
        case .scanRefused: "\(database) has no index for the call, and must not examine all records"
        default: code.rawValue + ofRecord + (path.map { " (file \($0))" } ?? "")
        }
    }
}

extension Unicode.Scalar {
    package var isLineBreak: Bool { Character(self).isNewline }  // Characters: of this scalar alone
}

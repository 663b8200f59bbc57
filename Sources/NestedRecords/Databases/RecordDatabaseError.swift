/// What a database can refuse.
///
/// ``code`` identifies the error. Each code lists the properties that it sets.
/// Errors cannot be compared, since an underlying error cannot be either: compare codes and details.
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
        var underlyingError: (any Error)?
    }

    private let details: Box<Details>

    private init(_ details: Details) {
        self.details = Box(details)
    }

    /// Makes an error, for example one with a code of a database's own.
    ///
    /// - Parameters:
    ///   - code: What is refused.
    ///   - reason: Why, or nil if the code says enough.
    ///   - recordID: The record that it is about, or nil.
    ///   - underlyingError: The error that led to this one, or nil.
    public init(
        _ code: Code, reason: String? = nil, recordID: Record.ID? = nil, underlyingError: (any Error)? = nil
    ) {
        self.init(Details(code: code, reason: reason, recordID: recordID, underlyingError: underlyingError))
    }
}

extension RecordDatabaseError {
    /// What is refused.
    public var code: Code { details.value.code }

    /// Why, where the code alone does not say it.
    public var reason: String? { details.value.reason }

    /// The record that the error is about.
    public var recordID: Record.ID? { details.value.recordID }

    /// The record that was to be saved.
    public var clientRecord: Record? { details.value.clientRecord }

    /// The record that the database holds; nil also where it is not to be shown: outside the scope of a
    /// ``RecordRepository``.
    public var serverRecord: Record? { details.value.serverRecord }

    /// The version that the record had to have.
    public var expectedVersion: RecordBatch.Version? { details.value.expectedVersion }

    /// The number of records in the batch.
    public var count: Int? { details.value.count }

    /// The number of records that the database takes at a time.
    public var limit: Int? { details.value.limit }

    /// The new metadata of the records that were saved before the error.
    public var savedMetadata: [Record.ID: Record.Metadata] { details.value.savedMetadata }

    /// The records that were deleted before the error.
    public var deletedIDs: [Record.ID] { details.value.deletedIDs }

    /// The references that prevent a deletion.
    public var references: [DanglingReference] { details.value.references }

    /// Why a change token has expired.
    public var expiry: ChangeToken.Expiry? { details.value.expiry }

    /// The error that led to this one.
    public var underlyingError: (any Error)? { details.value.underlyingError }

    /// What the error means for the caller: that of the code, or of the error that has interrupted something.
    public var kind: ErrorKind {
        switch code {
        case .conflict where clientRecord?.metadata == nil: .alreadyExists
        case .partiallySaved, .partiallyDeleted: underlyingError.flatMap(ErrorKind.init(of:)) ?? code.kind
        default: code.kind
        }
    }
}

extension ErrorCode<RecordDatabaseError> {
    /// The record to save was made from another version than the database holds: `recordID`, `clientRecord`,
    /// `serverRecord` unless it is not to be shown.
    public static var conflict: Self { Self("conflict", kind: .conflict) }

    /// The record to save names a version, but the database holds no such record: `recordID`, `clientRecord`.
    public static var unknownRecord: Self { Self("unknownRecord", kind: .conflict) }

    /// A record to delete, or a condition of a batch, is in another version than it must be: `recordID`,
    /// `expectedVersion`, and `serverRecord` if the database holds the record.
    public static var versionMismatch: Self { Self("versionMismatch", kind: .conflict) }

    /// A batch names a record more than once: `recordID`.
    public static var duplicateID: Self { Self("duplicateID", kind: .invalidInput) }

    /// A batch has more records than the database takes at a time: `count`, `limit`.
    public static var batchTooLarge: Self { Self("batchTooLarge", kind: .invalidInput) }

    /// A graph that is larger than a batch was saved in part: `savedMetadata`, `underlyingError`.
    ///
    /// Records that were merged with those of other writers are not in `savedMetadata`: with their new versions the
    /// graph would replace what was merged.
    public static var partiallySaved: Self { Self("partiallySaved", kind: .unavailable) }

    /// A deletion of several batches was interrupted: only the records in `deletedIDs` were deleted, because of
    /// `underlyingError`.
    public static var partiallyDeleted: Self { Self("partiallyDeleted", kind: .unavailable) }

    /// Records that stay refer to records that were to be deleted: `references`, and the `recordID` of the first
    /// of these records.
    public static var stillReferenced: Self { Self("stillReferenced", kind: .conflict) }

    /// A value was saved completely, and cannot be decoded from the records that it was saved as:
    /// `savedMetadata`, `underlyingError`.
    public static var savedButNotDecoded: Self { Self("savedButNotDecoded", kind: .damaged) }

    /// A database cannot say what has changed since a token: `expiry`.
    public static var changeTokenExpired: Self { Self("changeTokenExpired", kind: .unsupported) }

    /// A transaction was used that has ended.
    public static var transactionEnded: Self { Self("transactionEnded", kind: .invalidInput) }
}

extension RecordDatabaseError {
    /// The record to save was made from another version than the database holds.
    public static func conflict(client: Record, server: Record) -> RecordDatabaseError {
        RecordDatabaseError(
            Details(code: .conflict, recordID: client.id, clientRecord: client, serverRecord: server))
    }

    /// The record to save names a version, but the database holds no such record.
    public static func unknownRecord(_ record: Record) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .unknownRecord, recordID: record.id, clientRecord: record))
    }

    /// A record to delete, or a condition of a batch, is in another version than it must be.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - expected: The version that it must have.
    ///   - server: The record that the database holds; nil if there is none.
    public static func versionMismatch(
        _ id: Record.ID, expected: RecordBatch.Version, server: Record?
    ) -> RecordDatabaseError {
        RecordDatabaseError(
            Details(code: .versionMismatch, recordID: id, serverRecord: server, expectedVersion: expected))
    }

    /// A batch names this record more than once.
    public static func duplicateID(_ id: Record.ID) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .duplicateID, recordID: id))
    }

    /// A batch has more records than the database takes at a time.
    public static func batchTooLarge(count: Int, limit: Int) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .batchTooLarge, count: count, limit: limit))
    }

    /// A graph that is larger than a batch was saved up to here.
    public static func partiallySaved(
        _ saved: [Record.ID: Record.Metadata], underlyingError: any Error
    ) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .partiallySaved, savedMetadata: saved, underlyingError: underlyingError))
    }

    /// A deletion of several batches was interrupted: only these records were deleted.
    public static func partiallyDeleted(_ deleted: [Record.ID], underlyingError: any Error) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .partiallyDeleted, deletedIDs: deleted, underlyingError: underlyingError))
    }

    /// Records that stay refer to records that were to be deleted.
    public static func stillReferenced(_ references: [DanglingReference]) -> RecordDatabaseError {
        RecordDatabaseError(
            Details(code: .stillReferenced, recordID: references.first?.target, references: references))
    }

    /// A database cannot say what has changed since a token.
    ///
    /// - Parameter expiry: Why.
    public static func changeTokenExpired(_ expiry: ChangeToken.Expiry) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .changeTokenExpired, expiry: expiry))
    }

    /// A value was saved completely, and cannot be decoded from the records that it was saved as.
    public static func savedButNotDecoded(
        _ saved: [Record.ID: Record.Metadata], underlyingError: any Error
    ) -> RecordDatabaseError {
        RecordDatabaseError(Details(code: .savedButNotDecoded, savedMetadata: saved, underlyingError: underlyingError))
    }
}

extension RecordDatabaseError {
    /// This error, and those that led to it, without the records of the database that are not to be shown.
    ///
    /// - Parameters:
    ///   - reason: Why a name is taken, in place of the record that has it.
    ///   - isHidden: Whether a record is not to be shown.
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

    /// Whether another writer has changed, added or deleted a record since it was read, and nothing was saved.
    var isOvertaken: Bool { [.conflict, .versionMismatch, .unknownRecord].contains(code) }
}

extension RecordDatabaseError {
    /// What was refused, in one line.
    public var description: String { summary + reason.detail + underlyingError.detail }

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
        case .versionMismatch:
            "the record \(recordID.orUnknown) is expected \((expectedVersion?.phrase).orUnknown), "
                + (serverRecord.map { "the database holds version \($0.metadata?.changeTag ?? "unknown")" }
                    ?? "the database holds no such record")
        case .duplicateID: "the record \(recordID.orUnknown) is named twice in one batch"
        case .batchTooLarge:
            "the batch has \(count.orUnknown) records, the database takes \(limit.orUnknown) at a time"
        case .partiallySaved:
            "only a part of the graph was saved, \(savedMetadata.count) of its records as they are in it"
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
            case .purged?: "the change token is too old: deletions since then are not known any more"
            case .otherStore?: "the change token is one of another database"
            case .wentBack?: "the database was restored to an earlier state than that of the change token"
            case nil: "the change token has expired"
            }
        case .transactionEnded: "the transaction has ended, so nothing can be read or written in it"
        default: code.rawValue + (recordID.map { " (record \($0))" } ?? "")
        }
    }
}

extension RecordBatch.Version {
    /// The version behind "is expected".
    fileprivate var phrase: String {
        switch self {
        case .any: "in any version"
        case .missing: "not to be there"
        case .changeTag(let tag): "in version \(tag)"
        }
    }
}

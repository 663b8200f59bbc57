public import NestedRecords

extension ErrorCode<RecordDatabaseError> {
    /// The remote database is not the one of the last synchronization, or was restored to an earlier state, and nothing was
    /// changed: `reason`.
    ///
    /// ``RecordSync/detach()`` forgets what was synchronized, so that the next synchronization is as the first one.
    public static var restored: Self { Self("restored", kind: .conflict) }

    /// The remote database is the scope of another reader than in the last synchronization, and nothing was changed.
    ///
    /// Nothing of one reader reaches another reader. After ``RecordSync/detach()`` the local records are those of the new
    /// reader; to prevent that, give the reader an empty local database.
    public static var otherAccount: Self { Self("otherAccount", kind: .conflict) }

    /// Both databases have records before the first synchronization, which ``SyncOptions/FirstSync/refuse`` forbids.
    public static var notEmpty: Self { Self("notEmpty", kind: .conflict) }
}

extension RecordDatabaseError {
    static var otherAccount: RecordDatabaseError {
        RecordDatabaseError(
            .otherAccount,
            reason: "the remote database is the scope of another reader than before",
            hint: "synchronize another local database, or call 'detach()' to merge both")
    }

    static func restored(_ reason: String) -> RecordDatabaseError {
        RecordDatabaseError(
            .restored, reason: "the remote database is not in the state of the last synchronization: \(reason)",
            hint: "after 'detach()' both sides are merged as they are")
    }
}

/// Why a part of a round begins again.
enum Overtaken: Error {
    /// Another round of the same synchronization has changed the ledger.
    case link

    /// Another writer has changed a record of the local database.
    case records
}

extension Error {
    /// Whether another writer changed, added or deleted a record since it was read, and nothing was saved.
    var isOvertaken: Bool {
        guard let error = self as? RecordDatabaseError else { return false }
        // A name that is taken by an invisible record stays taken.
        return error.code == .conflict
            ? error.serverRecord != nil : [.versionMismatch, .unknownRecord].contains(error.code)
    }

    /// Whether the database refuses a change for good, and nothing was saved.
    var isRefusal: Bool {
        if isOvertaken { return false }
        switch self {
        case is RecordError: return true
        case let error as RecordDatabaseError:
            if error.isTransient { return false }
            return error.code == .refused || error.code == .stillReferenced || error.code == .conflict
                || [.forbidden, .invalidInput, .alreadyExists].contains(error.kind)
        default: return false
        }
    }

    /// Whether the bytes of an asset are damaged, or their record.
    var isDamagedContent: Bool {
        guard let error = self as? RecordDatabaseError, error.code == .corrupt else { return false }
        return error.recordID?.isOfAssets == true
    }

    /// Whether the synchronization cannot go on before the application has decided.
    var needsDecision: Bool {
        guard let error = self as? RecordDatabaseError else { return false }
        return [.restored, .otherAccount, .notEmpty].contains(error.code)
    }

    var expiry: ChangeToken.Expiry? {
        guard let error = self as? RecordDatabaseError, error.code == .changeTokenExpired else { return nil }
        // An unexplained expiry is treated as the one that promises least.
        return error.expiry ?? .otherStore
    }

    /// Throws an error of the remote feed, unless all records are to be compared because of it.
    func checkGoesOnByComparing() throws {
        switch expiry {
        case nil: throw self
        case .purged, .scopeChanged: break
        case .otherReader: throw RecordDatabaseError.otherAccount
        case .otherStore: throw RecordDatabaseError.restored("it is another database")
        case .wentBack: throw RecordDatabaseError.restored("it went back to an earlier state")
        }
    }
}

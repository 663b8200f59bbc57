import NestedRecords

/// Errors of the service itself.
enum ServiceError {
    /// A fault of the server, whose details only the server's log has.
    static let serverFault = RecordDatabaseError(
        RecordDatabaseError.Code("serverFault", kind: .unavailable), reason: "the server has failed")

    /// A request that does not follow the protocol.
    static func malformed(_ reason: String) -> RecordDatabaseError {
        RecordDatabaseError(RecordDatabaseError.Code("malformedRequest", kind: .invalidInput), reason: reason)
    }

    /// A request for a path that the service does not have.
    static func unknownCall(_ path: String) -> RecordDatabaseError {
        RecordDatabaseError(
            RecordDatabaseError.Code("unknownCall", kind: .notFound), reason: "the service has no call \(path)")
    }

    /// A request that is larger than the service accepts.
    static func tooLarge(_ limit: Int) -> RecordDatabaseError {
        RecordDatabaseError(.batchTooLarge, reason: "a request has at most \(limit) bytes")
    }

    /// The status of a response with an error, as the page of the protocol says.
    static func status(of error: any Error) -> Int {
        switch error {
        case is RecordDatabaseError, is RecordError: break
        // Errors of other kinds, as of a closure of the service's author, are not the client's.
        default: return 500
        }
        switch error {
        case RecordDatabaseError.Code.changeTokenExpired: return 410
        case RecordDatabaseError.Code.batchTooLarge, RecordDatabaseError.Code.assetTooLarge: return 413
        // A content that is read; a batch that names a missing one is invalid.
        case let error as RecordDatabaseError where error.code == .missingAsset && error.context.record == nil:
            return 404
        case RecordDatabaseError.Code.tooManyRequests: return 429
        case RecordDatabaseError.Code.unsupportedVersion: return 426
        case RecordError.Code.outsideScope: return 403
        default: break
        }
        switch ErrorKind(of: error) {
        case .notFound: return 404
        case .alreadyExists, .conflict: return 409
        case .unauthenticated: return 401
        case .forbidden: return 403
        case .invalidInput: return 400
        case .unavailable where (error as? RecordDatabaseError)?.code != serverFault.code: return 503
        case .unsupported: return 422
        case .unavailable, .damaged, nil: return 500
        }
    }
}

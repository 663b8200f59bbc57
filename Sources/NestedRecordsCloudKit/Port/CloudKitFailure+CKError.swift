#if canImport(CloudKit)
import CloudKit
import Foundation
import NestedRecords

extension CloudKitFailure {
    /// - Parameters:
    ///   - error: An error of CloudKit about a whole request.
    ///   - isWrite: Whether the request may have changed something.
    // https://developer.apple.com/documentation/cloudkit/ckerror/code
    init(_ error: any Error, isWrite: Bool) {
        switch error {
        case let failure as CloudKitFailure: self = failure
        case let error as RecordDatabaseError: self = .other(error)
        case let error as CKError: self.init(error, isWrite: isWrite)
        default: self = isWrite ? .unknownOutcome(Self.refusal(error)) : .other(Self.refusal(error))
        }
    }

    /// The failure of an atomic request by its records; nil without one.
    init?(_ failures: [(name: String, error: any Error, isSave: Bool)]) {
        var (outdated, missing): ([String], [String]) = ([], [])
        for (name, error, isSave) in failures {
            switch (error as? CKError)?.code {
            // Records without a fault of their own.
            case .batchRequestFailed: continue
            case .serverRecordChanged where isSave: outdated.append(name)
            case .unknownItem: if isSave { outdated.append(name) } else { missing.append(name) }
            default:
                self.init(error, isWrite: true)
                return
            }
        }
        if !outdated.isEmpty {
            self = .outdated(recordNames: outdated)
        } else if !missing.isEmpty {
            self = .missing(recordNames: missing)
        } else if failures.isEmpty {
            return nil
        } else {
            self = .other(RecordDatabaseError(.refused, reason: "a part of the request failed, and none is named"))
        }
    }

    private init(_ error: CKError, isWrite: Bool) {
        func transient(_ code: RecordDatabaseError.Code) -> CloudKitFailure {
            var failure = RecordDatabaseError(code, reason: Self.reason(error))
            failure.retryAfter = error.retryAfterSeconds.map { .seconds(min(max(0, $0), 86_400)) }
            return .other(failure)
        }
        func plain(_ code: RecordDatabaseError.Code) -> CloudKitFailure {
            .other(RecordDatabaseError(code, reason: Self.reason(error), underlyingError: error))
        }
        switch error.code {
        case .networkUnavailable: self = plain(.notConnected)
        case .networkFailure, .serverResponseLost, .internalError:
            let lost = RecordDatabaseError(.connectionLost, reason: Self.reason(error), underlyingError: error)
            self = isWrite ? .unknownOutcome(lost) : .other(lost)
        case .requestRateLimited: self = transient(.tooManyRequests)
        case .zoneBusy, .serviceUnavailable: self = transient(.busy)
        case .notAuthenticated, .accountTemporarilyUnavailable: self = plain(.notSignedIn)
        case .permissionFailure, .managedAccountRestricted: self = plain(.notPermitted)
        case .quotaExceeded: self = plain(.quotaExceeded)
        case .limitExceeded: self = plain(.batchTooLarge)
        case .serverRecordChanged: self = .outdated(recordNames: [])
        case .zoneNotFound: self = .zoneMissing(reason: "the zone does not exist")
        case .userDeletedZone: self = .zoneMissing(reason: "the user has deleted the data of the app")
        case .changeTokenExpired: self = .positionExpired
        case .invalidArguments, .serverRejectedRequest, .incompatibleVersion, .constraintViolation, .badContainer,
            .badDatabase, .missingEntitlement, .referenceViolation, .assetFileNotFound, .assetFileModified,
            .assetNotAvailable, .unknownItem, .batchRequestFailed:
            self = .other(Self.refusal(error))
        default:
            // Also an operation that was cancelled.
            let lost = RecordDatabaseError(.connectionLost, reason: Self.reason(error), underlyingError: error)
            self = isWrite ? .unknownOutcome(lost) : .other(Self.refusal(error))
        }
    }

    private static func refusal(_ error: any Error) -> RecordDatabaseError {
        guard let error = error as? CKError else {
            return RecordDatabaseError(.refused, reason: "\(error)", underlyingError: error)
        }
        return RecordDatabaseError(
            .refused, .system(code: "CKError \(error.errorCode)"), reason: reason(error), underlyingError: error)
    }

    private static func reason(_ error: CKError) -> String { error.localizedDescription }
}
#endif

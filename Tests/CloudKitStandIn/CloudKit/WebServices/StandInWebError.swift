import Foundation

/// An error of a request, a record or a zone.
///
/// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ErrorCodes.html
struct StandInWebError: Error {
    let code: String
    let reason: String
    var retryAfter: Double?

    init(_ code: String, _ reason: String) { (self.code, self.reason) = (code, reason) }

    static func badRequest(_ reason: String) -> StandInWebError { StandInWebError("BAD_REQUEST", reason) }

    /// The error of a code of the native interface, or nil if the connection was lost.
    ///
    /// The table has no codes for limits and change tokens: they are bad requests here. [not verified]
    init?(_ error: any Error, isCreation: Bool = false) {
        let native = error as? CKError
        switch native?.code {
        case nil: self = error as? StandInWebError ?? StandInWebError("INTERNAL_ERROR", "\(error)")
        case .networkFailure, .networkUnavailable, .serverResponseLost, .operationCancelled: return nil
        case .notAuthenticated: self.init("AUTHENTICATION_REQUIRED", "request needs authorization")
        case .permissionFailure, .missingEntitlement: self.init("ACCESS_DENIED", "operation not permitted")
        case .batchRequestFailed: self.init("ATOMIC_ERROR", "atomic batch operation failed")
        case .serverRecordChanged where isCreation: self.init("EXISTS", "record to insert already exists")
        case .serverRecordChanged:
            self.init("CONFLICT", "record to update already exists with a different change tag")
        case .unknownItem: self.init("NOT_FOUND", "Record not found")
        case .zoneNotFound, .userDeletedZone: self.init("ZONE_NOT_FOUND", "Zone does not exist")
        case .quotaExceeded: self.init("QUOTA_EXCEEDED", "quota exceeded")
        case .requestRateLimited: self.init("THROTTLED", "request was throttled")
        case .serviceUnavailable, .zoneBusy: self.init("TRY_AGAIN_LATER", "try again later")
        case .referenceViolation: self.init("VALIDATING_REFERENCE_ERROR", "reference violation")
        case .internalError: self.init("INTERNAL_ERROR", "internal error")
        // The reason is that of the native interface: https://github.com/paulw11/Seam3/issues/35
        case .changeTokenExpired: self.init("BAD_REQUEST", "client knowledge differs from server knowledge")
        default: self.init("BAD_REQUEST", "BadRequestException: \(native?.localizedDescription ?? "")")
        }
        retryAfter = native?.retryAfterSeconds  // The unit, seconds, is [not verified].
    }

    private static let statuses = [
        "AUTHENTICATION_FAILED": 401, "ACCESS_DENIED": 403, "NOT_FOUND": 404, "ZONE_NOT_FOUND": 404, "CONFLICT": 409,
        "EXISTS": 409, "VALIDATING_REFERENCE_ERROR": 412, "QUOTA_EXCEEDED": 413, "AUTHENTICATION_REQUIRED": 421,
        "THROTTLED": 429, "INTERNAL_ERROR": 500, "TRY_AGAIN_LATER": 503,
    ]

    var status: Int { Self.statuses[code] ?? 400 }

    var json: [String: Any] {
        var json: [String: Any] = ["uuid": UUID().uuidString, "serverErrorCode": code, "reason": reason]
        json["retryAfter"] = retryAfter
        if code == "AUTHENTICATION_REQUIRED" { json["redirectURL"] = "https://sign-in.stand-in/?oauth=1" }
        return json
    }
}

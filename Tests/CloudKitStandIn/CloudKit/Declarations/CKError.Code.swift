extension CKError {
    /// Page: cloudkit/ckerror/code; the raw values: ben.ffox.ca/2023/09/07/cloudkit-ckerrors-raw.html.
    @available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
    public enum Code: Int, Sendable {
        /// Page: cloudkit/ckerror/code/internalerror.
        case internalError = 1
        /// Page: cloudkit/ckerror/code/partialfailure.
        case partialFailure = 2
        /// Page: cloudkit/ckerror/code/networkunavailable.
        case networkUnavailable = 3
        /// Page: cloudkit/ckerror/code/networkfailure.
        case networkFailure = 4
        /// Page: cloudkit/ckerror/code/badcontainer.
        case badContainer = 5
        /// Page: cloudkit/ckerror/code/serviceunavailable.
        case serviceUnavailable = 6
        /// Page: cloudkit/ckerror/code/requestratelimited.
        case requestRateLimited = 7
        /// Page: cloudkit/ckerror/code/missingentitlement.
        case missingEntitlement = 8
        /// Page: cloudkit/ckerror/code/notauthenticated.
        case notAuthenticated = 9
        /// Page: cloudkit/ckerror/code/permissionfailure.
        case permissionFailure = 10
        /// Page: cloudkit/ckerror/code/unknownitem.
        case unknownItem = 11
        /// Page: cloudkit/ckerror/code/invalidarguments.
        case invalidArguments = 12
        /// Page: cloudkit/ckerror/code/resultstruncated.
        case resultsTruncated = 13
        /// Page: cloudkit/ckerror/code/serverrecordchanged.
        case serverRecordChanged = 14
        /// Page: cloudkit/ckerror/code/serverrejectedrequest.
        case serverRejectedRequest = 15
        /// Page: cloudkit/ckerror/code/assetfilenotfound.
        case assetFileNotFound = 16
        /// Page: cloudkit/ckerror/code/assetfilemodified.
        case assetFileModified = 17
        /// Page: cloudkit/ckerror/code/incompatibleversion.
        case incompatibleVersion = 18
        /// Page: cloudkit/ckerror/code/constraintviolation.
        case constraintViolation = 19
        /// Page: cloudkit/ckerror/code/operationcancelled.
        case operationCancelled = 20
        /// Page: cloudkit/ckerror/code/changetokenexpired.
        case changeTokenExpired = 21
        /// Page: cloudkit/ckerror/code/batchrequestfailed.
        case batchRequestFailed = 22
        /// Page: cloudkit/ckerror/code/zonebusy.
        case zoneBusy = 23
        /// Page: cloudkit/ckerror/code/baddatabase.
        case badDatabase = 24
        /// Page: cloudkit/ckerror/code/quotaexceeded.
        case quotaExceeded = 25
        /// Page: cloudkit/ckerror/code/zonenotfound.
        case zoneNotFound = 26
        /// Page: cloudkit/ckerror/code/limitexceeded.
        case limitExceeded = 27
        /// Page: cloudkit/ckerror/code/userdeletedzone.
        case userDeletedZone = 28
        /// Page: cloudkit/ckerror/code/toomanyparticipants.
        case tooManyParticipants = 29
        /// Page: cloudkit/ckerror/code/alreadyshared.
        case alreadyShared = 30
        /// Page: cloudkit/ckerror/code/referenceviolation.
        case referenceViolation = 31
        /// Page: cloudkit/ckerror/code/managedaccountrestricted.
        case managedAccountRestricted = 32
        /// Page: cloudkit/ckerror/code/participantmayneedverification.
        case participantMayNeedVerification = 33
        /// Page: cloudkit/ckerror/code/serverresponselost.
        case serverResponseLost = 34
        /// Page: cloudkit/ckerror/code/assetnotavailable.
        case assetNotAvailable = 35
        /// Page: cloudkit/ckerror/code/accounttemporarilyunavailable.
        case accountTemporarilyUnavailable = 36
        /// Page: cloudkit/ckerror/code/participantalreadyinvited [not verified: its raw value].
        @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
        case participantAlreadyInvited = 37
    }
}

extension CKError {
    /// Page: cloudkit/ckerror/internalerror.
    public static var internalError: CKError.Code { .internalError }
    /// Page: cloudkit/ckerror/partialfailure.
    public static var partialFailure: CKError.Code { .partialFailure }
    /// Page: cloudkit/ckerror/networkunavailable.
    public static var networkUnavailable: CKError.Code { .networkUnavailable }
    /// Page: cloudkit/ckerror/networkfailure.
    public static var networkFailure: CKError.Code { .networkFailure }
    /// Page: cloudkit/ckerror/badcontainer.
    public static var badContainer: CKError.Code { .badContainer }
    /// Page: cloudkit/ckerror/serviceunavailable.
    public static var serviceUnavailable: CKError.Code { .serviceUnavailable }
    /// Page: cloudkit/ckerror/requestratelimited.
    public static var requestRateLimited: CKError.Code { .requestRateLimited }
    /// Page: cloudkit/ckerror/missingentitlement.
    public static var missingEntitlement: CKError.Code { .missingEntitlement }
    /// Page: cloudkit/ckerror/notauthenticated.
    public static var notAuthenticated: CKError.Code { .notAuthenticated }
    /// Page: cloudkit/ckerror/permissionfailure.
    public static var permissionFailure: CKError.Code { .permissionFailure }
    /// Page: cloudkit/ckerror/unknownitem.
    public static var unknownItem: CKError.Code { .unknownItem }
    /// Page: cloudkit/ckerror/invalidarguments.
    public static var invalidArguments: CKError.Code { .invalidArguments }
    /// Page: cloudkit/ckerror/resultstruncated.
    public static var resultsTruncated: CKError.Code { .resultsTruncated }
    /// Page: cloudkit/ckerror/serverrecordchanged.
    public static var serverRecordChanged: CKError.Code { .serverRecordChanged }
    /// Page: cloudkit/ckerror/serverrejectedrequest.
    public static var serverRejectedRequest: CKError.Code { .serverRejectedRequest }
    /// Page: cloudkit/ckerror/assetfilenotfound.
    public static var assetFileNotFound: CKError.Code { .assetFileNotFound }
    /// Page: cloudkit/ckerror/assetfilemodified.
    public static var assetFileModified: CKError.Code { .assetFileModified }
    /// Page: cloudkit/ckerror/incompatibleversion.
    public static var incompatibleVersion: CKError.Code { .incompatibleVersion }
    /// Page: cloudkit/ckerror/constraintviolation.
    public static var constraintViolation: CKError.Code { .constraintViolation }
    /// Page: cloudkit/ckerror/operationcancelled.
    public static var operationCancelled: CKError.Code { .operationCancelled }
    /// Page: cloudkit/ckerror/changetokenexpired.
    public static var changeTokenExpired: CKError.Code { .changeTokenExpired }
    /// Page: cloudkit/ckerror/batchrequestfailed.
    public static var batchRequestFailed: CKError.Code { .batchRequestFailed }
    /// Page: cloudkit/ckerror/zonebusy.
    public static var zoneBusy: CKError.Code { .zoneBusy }
    /// Page: cloudkit/ckerror/baddatabase.
    public static var badDatabase: CKError.Code { .badDatabase }
    /// Page: cloudkit/ckerror/quotaexceeded.
    public static var quotaExceeded: CKError.Code { .quotaExceeded }
    /// Page: cloudkit/ckerror/zonenotfound.
    public static var zoneNotFound: CKError.Code { .zoneNotFound }
    /// Page: cloudkit/ckerror/limitexceeded.
    public static var limitExceeded: CKError.Code { .limitExceeded }
    /// Page: cloudkit/ckerror/userdeletedzone.
    public static var userDeletedZone: CKError.Code { .userDeletedZone }
    /// Page: cloudkit/ckerror/toomanyparticipants.
    public static var tooManyParticipants: CKError.Code { .tooManyParticipants }
    /// Page: cloudkit/ckerror/alreadyshared.
    public static var alreadyShared: CKError.Code { .alreadyShared }
    /// Page: cloudkit/ckerror/referenceviolation.
    public static var referenceViolation: CKError.Code { .referenceViolation }
    /// Page: cloudkit/ckerror/managedaccountrestricted.
    public static var managedAccountRestricted: CKError.Code { .managedAccountRestricted }
    /// Page: cloudkit/ckerror/participantmayneedverification.
    public static var participantMayNeedVerification: CKError.Code { .participantMayNeedVerification }
    /// Page: cloudkit/ckerror/serverresponselost.
    public static var serverResponseLost: CKError.Code { .serverResponseLost }
    /// Page: cloudkit/ckerror/assetnotavailable.
    public static var assetNotAvailable: CKError.Code { .assetNotAvailable }
    /// Page: cloudkit/ckerror/accounttemporarilyunavailable.
    public static var accountTemporarilyUnavailable: CKError.Code { .accountTemporarilyUnavailable }
    /// Page: cloudkit/ckerror/participantalreadyinvited.
    @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
    public static var participantAlreadyInvited: CKError.Code { .participantAlreadyInvited }
}

import Foundation

/// Page: cloudkit/ckerror.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public struct CKError: CustomNSError, Hashable, Sendable {
    /// Page: foundation/cocoaerror/init(_nserror:), which all imported errors have [not verified].
    public let _nsError: NSError

    /// Page: foundation/cocoaerror/init(_nserror:), which all imported errors have [not verified].
    public init(_nsError: NSError) { self._nsError = _nsError }

    /// Page: cloudkit/ckerror/init(_:userinfo:) [not verified].
    public init(_ code: CKError.Code, userInfo: [String: Any] = [:]) {
        _nsError = NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Page: cloudkit/ckerror/errordomain.
    public static var errorDomain: String { CKErrorDomain }

    /// Page: foundation/customnserror/errorcode.
    public var errorCode: Int { _nsError.code }

    /// Page: foundation/customnserror/erroruserinfo.
    public var errorUserInfo: [String: Any] { _nsError.userInfo }

    /// Page: foundation/cocoaerror/userinfo, which all imported errors have [not verified].
    public var userInfo: [String: Any] { _nsError.userInfo }

    /// Page: foundation/cocoaerror/code-swift.property, which all imported errors have [not verified].
    public var code: CKError.Code { Code(rawValue: _nsError.code) ?? .internalError }

    /// Page: foundation/cocoaerror/localizeddescription, which all imported errors have [not verified].
    public var localizedDescription: String { "\(code): \(_nsError.localizedDescription)" }

    /// Page: cloudkit/ckerror/partialerrorsbyitemid.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// Page: cloudkit/ckerror/ancestorrecord.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }

    /// Page: cloudkit/ckerror/serverrecord.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }

    /// Page: cloudkit/ckerror/clientrecord.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }

    /// Page: cloudkit/ckerror/retryafterseconds.
    public var retryAfterSeconds: Double? { userInfo[CKErrorRetryAfterKey] as? Double }
}

/// Page: swift/~=(_:_:), so that `catch CKError.zoneBusy` matches, as for all imported errors [not verified].
public func ~= (code: CKError.Code, error: any Error) -> Bool { (error as? CKError)?.code == code }

// The pages do not print the values of these constants.

/// Page: cloudkit/ckerrordomain [not verified: its value].
public let CKErrorDomain = "CKErrorDomain"

/// Page: cloudkit/ckpartialerrorsbyitemidkey [not verified: its value].
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"

/// Page: cloudkit/ckerrorretryafterkey [not verified: its value].
public let CKErrorRetryAfterKey = "CKRetryAfter"

/// Page: cloudkit/ckrecordchangederrorancestorrecordkey [not verified: its value].
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"

/// Page: cloudkit/ckrecordchangederrorserverrecordkey [not verified: its value].
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"

/// Page: cloudkit/ckrecordchangederrorclientrecordkey [not verified: its value].
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"

/// Page: cloudkit/ckerroruserdidresetencrypteddatakey [not verified: its value].
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

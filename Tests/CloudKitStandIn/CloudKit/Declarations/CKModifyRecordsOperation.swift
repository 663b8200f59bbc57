/// Page: cloudkit/ckmodifyrecordsoperation [differs: the page prints a class].
///
/// Only as the scope of its policies: the stand-in has the async calls of `CKDatabase`, not the operations. So the
/// superclass, `CKDatabaseOperation`, is left out.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public enum CKModifyRecordsOperation {
    /// Page: cloudkit/ckmodifyrecordsoperation/recordsavepolicy.
    public enum RecordSavePolicy: Int, Sendable {
        /// Page: cloudkit/ckmodifyrecordsoperation/recordsavepolicy/ifserverrecordunchanged.
        case ifServerRecordUnchanged = 0

        /// Page: cloudkit/ckmodifyrecordsoperation/recordsavepolicy/changedkeys.
        case changedKeys = 1

        /// Page: cloudkit/ckmodifyrecordsoperation/recordsavepolicy/allkeys.
        case allKeys = 2
    }
}

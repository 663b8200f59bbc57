import Foundation

/// Page: cloudkit/ckquery [differs: without NSSecureCoding and NSCopying].
///
/// Unchecked: `NSPredicate` and `NSSortDescriptor` are not Sendable here. The predicate is never changed, and the lock
/// guards the descriptors.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKQuery: NSObject, @unchecked Sendable {
    /// Page: cloudkit/ckquery/recordtype-6ajii.
    public let recordType: CKRecord.RecordType

    /// Page: cloudkit/ckquery/predicate.
    public let predicate: NSPredicate

    private let lock = NSLock()
    private var descriptors: [NSSortDescriptor]?

    /// Page: cloudkit/ckquery/init(recordtype:predicate:).
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        (self.recordType, self.predicate) = (recordType, predicate)
    }

    /// Page: cloudkit/ckquery/sortdescriptors.
    public var sortDescriptors: [NSSortDescriptor]? {
        get { lock.withLock { descriptors } }
        set { lock.withLock { descriptors = newValue } }
    }
}

import Foundation

/// Page: cloudkit/ckdatabasesubscription.
///
/// Unchecked, as its superclass.
@available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 6.0, visionOS 1.0, *)
public final class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    /// Page: cloudkit/ckdatabasesubscription/init(subscriptionid:).
    public init(subscriptionID: CKSubscription.ID) { super.init(subscriptionID: subscriptionID, type: .database) }
}

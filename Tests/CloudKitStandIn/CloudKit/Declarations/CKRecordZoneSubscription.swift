import Foundation

/// Page: cloudkit/ckrecordzonesubscription.
///
/// Unchecked, as its superclass.
@available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 6.0, *)
public final class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// Page: cloudkit/ckrecordzonesubscription/zoneid.
    public let zoneID: CKRecordZone.ID

    /// Page: cloudkit/ckrecordzonesubscription/init(zoneid:subscriptionid:).
    public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
        self.zoneID = zoneID
        super.init(subscriptionID: subscriptionID, type: .recordZone)
    }
}

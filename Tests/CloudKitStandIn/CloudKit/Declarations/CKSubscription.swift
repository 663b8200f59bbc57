import Foundation

/// Page: cloudkit/cksubscription [differs: without NSSecureCoding and NSCopying].
///
/// Unchecked, as it has subclasses. Its stored properties are constants of Sendable types, and the subclasses add only
/// such ones.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public class CKSubscription: NSObject, @unchecked Sendable {
    /// Page: cloudkit/cksubscription/id.
    public typealias ID = String

    /// Page: cloudkit/cksubscription/subscriptionid-6fp3j.
    public let subscriptionID: CKSubscription.ID

    /// Page: cloudkit/cksubscription/subscriptiontype-swift.property.
    public let subscriptionType: SubscriptionType

    private let info = Locked<NotificationInfo?>(nil)

    init(subscriptionID: ID, type: SubscriptionType) {
        (self.subscriptionID, subscriptionType) = (subscriptionID, type)
    }

    /// Page: cloudkit/cksubscription/notificationinfo-swift.property.
    public var notificationInfo: NotificationInfo? {
        get { info.value }
        set { info.withLock { $0 = newValue } }
    }

    /// Page: cloudkit/cksubscription/subscriptiontype-swift.enum [not verified: its raw values].
    public enum SubscriptionType: Int, Sendable {
        /// Page: cloudkit/cksubscription/subscriptiontype-swift.enum/query.
        case query = 1

        /// Page: cloudkit/cksubscription/subscriptiontype-swift.enum/recordzone.
        case recordZone = 2

        /// Page: cloudkit/cksubscription/subscriptiontype-swift.enum/database.
        @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
        case database = 3
    }

    /// Page: cloudkit/cksubscription/notificationinfo-swift.class.
    public final class NotificationInfo: NSObject, Sendable {
        private let isSilent = Locked(false)

        /// Page: cloudkit/cksubscription/notificationinfo-swift.class/shouldsendcontentavailable.
        public var shouldSendContentAvailable: Bool {
            get { isSilent.value }
            set { isSilent.withLock { $0 = newValue } }
        }
    }
}

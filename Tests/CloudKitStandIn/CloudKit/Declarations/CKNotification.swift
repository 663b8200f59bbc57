import Foundation

/// Page: cloudkit/cknotification [differs: the page prints an abstract class].
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKNotification: NSObject, Sendable {
    /// Page: cloudkit/cknotification/containeridentifier.
    public let containerIdentifier: String?

    /// Page: cloudkit/cknotification/subscriptionid-16ygj.
    @available(macOS 10.11, iOS 9.0, watchOS 3.0, *)
    public let subscriptionID: CKSubscription.ID?

    /// Page: cloudkit/cknotification/init(fromremotenotificationdictionary:).
    ///
    /// The form of the dictionary is Apple's own. Here it is what the stand-in sends.
    public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        guard let push = notificationDictionary["ck"] as? [String: String] else { return nil }
        (containerIdentifier, subscriptionID) = (push["container"], push["subscription"])
    }
}

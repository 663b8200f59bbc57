import Foundation

/// Page: cloudkit/ckaccountstatus [not verified: the raw values].
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public enum CKAccountStatus: Int, Sendable {
    /// Page: cloudkit/ckaccountstatus/couldnotdetermine.
    case couldNotDetermine = 0

    /// Page: cloudkit/ckaccountstatus/available.
    case available = 1

    /// Page: cloudkit/ckaccountstatus/restricted.
    case restricted = 2

    /// Page: cloudkit/ckaccountstatus/noaccount.
    case noAccount = 3

    /// Page: cloudkit/ckaccountstatus/temporarilyunavailable.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    case temporarilyUnavailable = 4
}

extension Notification.Name {
    /// Page: foundation/nsnotification/name-swift.struct/ckaccountchanged [not verified: its raw value].
    public static let CKAccountChanged = Notification.Name("CKAccountChangedNotification")
}

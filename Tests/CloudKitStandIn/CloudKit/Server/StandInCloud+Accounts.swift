import Foundation

extension StandInCloud {
    /// A device on which a user is signed in; with nil, no user.
    public func container(user: String?, identifier: String = "iCloud.stand-in") -> CKContainer {
        let container = CKContainer(cloud: self, user: user, identifier: identifier)
        add(container)
        return container
    }

    func add(_ container: CKContainer) { state.withLock { $0.containers.append(Device(container: container)) } }

    /// Signs another user in on a device; with nil, no user.
    ///
    /// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/ckaccountchanged
    public func signIn(_ user: String?, on container: CKContainer) {
        container.user.withLock { $0 = user }
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    /// Signs a user out on all devices.
    public func signOut(_ user: String) {
        for container in state.withLock({ $0.containers.compactMap(\.container) }) where container.user.value == user {
            signIn(nil, on: container)
        }
    }

    /// The name of a user's record; its form, an underscore before digits, [not verified].
    public static func recordName(ofUser user: String) -> String {
        "_" + user.utf8.map { String($0, radix: 16) }.joined()
    }
}

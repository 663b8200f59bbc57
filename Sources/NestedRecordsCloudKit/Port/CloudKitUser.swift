#if canImport(CloudKit)
import CloudKit
import Foundation
import NestedRecords

/// The user of the device, until CloudKit says that it may be another.
///
/// It is Sendable because the observer is only used when the object goes, and the name has a lock.
final class CloudKitUser: @unchecked Sendable {
    private let known = Lock((name: String?.none, changes: 0))
    private var observer: (any NSObjectProtocol)?

    init() {
        observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            [known] _ in known.withLock { $0 = (nil, $0.changes + 1) }
        }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    func name(_ fetch: () async throws -> String) async throws -> String {
        let (name, changes) = known.withLock { $0 }
        if let name { return name }
        let found = try await fetch()
        // The answer may be about the user before.
        known.withLock { if $0.changes == changes { $0.name = found } }
        return found
    }
}
#endif

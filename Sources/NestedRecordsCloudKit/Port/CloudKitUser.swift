#if canImport(CloudKit)
import CloudKit
import Foundation
import NestedRecords

/// The user of the device, until CloudKit says that it may be another.
///
/// It is Sendable because the observer is only used when the object goes, and the name has a lock.
final class CloudKitUser: @unchecked Sendable {
    private let known = Lock(String?.none)
    private var observer: (any NSObjectProtocol)?

    init() {
        observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            [known] _ in known.withLock { $0 = nil }
        }
    }

    deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

    func name(_ fetch: () async throws -> String) async throws -> String {
        if let name = known.withLock({ $0 }) { return name }
        let name = try await fetch()
        known.withLock { $0 = name }
        return name
    }
}
#endif

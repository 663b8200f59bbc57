import HTTPTypes
import Synchronization

/// The numbers of event streams that are open.
final class OpenStreams: Sendable {
    /// The streams that one user may have.
    static let limit = 5

    private let counts = Mutex<[String: Int]>([:])

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Throws a problem if a user has too many streams.
    func check(_ user: String) throws {
        guard counts.withLock({ $0[user, default: 0] }) < Self.limit else {
            throw Problem(.tooManyRequests, "A user has at most \(Self.limit) streams of events.")
        }
    }

    func add(_ difference: Int, for user: String) { counts.withLock { $0[user, default: 0] += difference } }
}

import HTTPTypes
import Metrics
import Synchronization

/// The numbers of event streams that are open.
final class OpenStreams: Sendable {
    /// The streams that one user may have.
    private let limit: Int
    private let counts = Mutex<[String: Int]>([:])

    init(limit: Int) { self.limit = limit }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Throws a problem if a user has too many streams.
    func check(_ user: String) throws {
        guard counts.withLock({ $0[user, default: 0] }) < limit else {
            throw Problem(.tooManyRequests, "A user has at most \(limit) streams of events.")
        }
    }

    func add(_ difference: Int, for user: String) {
        counts.withLock { $0[user, default: 0] += difference }
        Gauge(label: "cards.streams.open").record(count)
    }
}

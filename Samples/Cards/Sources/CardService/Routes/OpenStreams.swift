import HTTPTypes
import Metrics
import Synchronization

/// The places for event streams.
final class OpenStreams: Sendable {
    /// The streams that one user may have.
    private let limit: Int
    private let counts = Mutex<[String: Int]>([:])

    init(limit: Int) { self.limit = limit }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Takes a place; a problem if the user has no free one.
    func place(for user: String) throws -> Place {
        let isFree = counts.withLock { counts in
            guard counts[user, default: 0] < limit else { return false }
            counts[user, default: 0] += 1
            return true
        }
        guard isFree else { throw Problem(.tooManyRequests, "A user has at most \(limit) streams of events.") }
        record()
        return Place(streams: self, user: user)
    }

    private func free(_ user: String) {
        counts.withLock { counts in
            let count = counts[user, default: 0] - 1
            counts[user] = count > 0 ? count : nil
        }
        record()
    }

    private func record() { Gauge(label: "cards.streams.open").record(count) }

    /// The place of one stream, which is free again when nothing refers to it: an answer may end before its body begins.
    final class Place: Sendable {
        private let streams: OpenStreams
        private let user: String

        fileprivate init(streams: OpenStreams, user: String) { (self.streams, self.user) = (streams, user) }

        deinit { streams.free(user) }
    }
}

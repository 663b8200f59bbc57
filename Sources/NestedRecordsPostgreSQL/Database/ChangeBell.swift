#if PostgreSQL
@_spi(Engines) import NestedRecords

/// Notifies others of changes, and receives their notifications.
///
/// A notification within the transaction of a save takes a lock that all such transactions wait for. So it is sent
/// after the transaction, and once for several saves. Waiting callers also look for changes from time to time.
final class ChangeBell: Sendable {
    private struct State {
        var isAnnouncing = false

        /// Whether there is something to announce since the announcement that is in progress.
        var isDue = false
        var hasListener = false
        var isListening = false
        var isClosed = false
    }

    private let state = Lock(State())
    private let doorbell = Doorbell()
    private let parameters: ConnectionParameters
    private let firstStatements: [Statement]
    private let pool: ConnectionPool
    private let announcement: Statement

    /// The shortest time between two announcements.
    private static let pause = Duration.milliseconds(20)

    /// The longest time until the connection notices that the database was closed.
    private static let longestWait: Int32 = 200

    init(
        _ parameters: ConnectionParameters, _ firstStatements: [Statement], _ pool: ConnectionPool,
        _ announcement: Statement
    ) {
        self.parameters = parameters
        self.firstStatements = firstStatements
        self.pool = pool
        self.announcement = announcement
    }

    var ringCount: UInt64 { doorbell.ringCount }

    var isListening: Bool { state.withLock { $0.isListening } }

    func ring() {
        doorbell.ring()
        let isFirst = state.withLock { state in
            state.isDue = true
            defer { state.isAnnouncing = true }
            return !state.isAnnouncing
        }
        if isFirst { Task { await announce() } }
    }

    private func announce() async {
        while state.withLock({ state in
            defer { state.isDue = false }
            state.isAnnouncing = state.isDue
            return state.isDue
        }) {
            // A failure is harmless: waiting callers look for changes themselves.
            _ = try? await pool.execute([announcement], isRepeatable: true)
            try? await Task.sleep(for: Self.pause)
        }
    }

    func wait(after count: UInt64, atMost time: Duration) async throws {
        let begins = state.withLock { state in
            defer { state.hasListener = state.hasListener || !state.isClosed }
            return !state.hasListener && !state.isClosed
        }
        if begins { BlockingQueue(label: "NestedRecords PostgreSQL notifications").enqueue { self.listen() } }
        try await doorbell.wait(after: count, atMost: time)
    }

    /// Receives notifications, in a thread of its own, until the database is closed or the connection is lost.
    ///
    /// The next waiting caller begins again.
    private func listen() {
        defer { state.withLock { ($0.hasListener, $0.isListening) = (false, false) } }
        guard let session = try? Session(parameters, executing: firstStatements) else { return }
        state.withLock { $0.isListening = true }
        // There may have been a change before the connection listened, or after it is lost.
        doorbell.ring()
        defer { doorbell.ring() }
        while session.isConnected, state.withLock({ !$0.isClosed }) {
            if session.readNotifications(waitingAtMost: Self.longestWait) { doorbell.ring() }
        }
    }

    func close() { state.withLock { $0.isClosed = true } }
}
#endif

#if PostgreSQL
import NestedRecords

/// Notifies others of changes, and receives their notifications.
///
/// A notification within the transaction of a save takes a lock that all such transactions wait for. So it is sent
/// after the transaction, and once for several saves. Waiting callers also look for changes from time to time.
final class ChangeBell: Sendable {
    private struct State {
        var isAnnouncing = false

        /// Whether there is something to announce since the announcement that is in progress.
        var isDue = false
        var isListening = false

        /// Whether received notifications are about to be read.
        var isReading = false
        var isClosed = false
        var connection: PostgreSQLConnection?
        var observation: SocketObservation?
    }

    private let state = Lock(State())
    private let doorbell = Doorbell()
    private let parameters: ConnectionParameters
    private let firstStatements: [Statement]
    private let pool: ConnectionPool
    private let announcement: Statement

    /// The shortest time between two announcements.
    private static let pause = Duration.milliseconds(20)

    init(
        _ parameters: ConnectionParameters, _ firstStatements: [Statement], _ pool: ConnectionPool,
        _ announcement: Statement
    ) {
        self.parameters = parameters
        self.firstStatements = firstStatements
        self.pool = pool
        self.announcement = announcement
    }

    /// The number of rings.
    var ringCount: UInt64 { doorbell.ringCount }

    /// Whether there is a connection over which the server sends notifications.
    var isListening: Bool { state.withLock { $0.connection != nil } }

    /// Announces a change to all waiting callers.
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

    /// Waits for the next ring, or until a timeout.
    ///
    /// - Parameters:
    ///   - count: The number of rings before.
    ///   - time: The longest time to wait.
    /// - Throws: `CancellationError`.
    func wait(after count: UInt64, atMost time: Duration) async throws {
        listen()
        try await doorbell.wait(after: count, atMost: time)
    }

    // MARK: Listening

    /// Begins to listen to the server, unless it is listening.
    private func listen() {
        let begins = state.withLock { state in
            if state.isListening || state.isClosed { return false }
            state.isListening = true
            return true
        }
        if begins { Task { await openListener() } }
    }

    private func openListener() async {
        let connection = PostgreSQLConnection()
        do {
            try await connection.open(parameters, firstStatements)
        } catch {
            // The next waiting caller tries again.
            state.withLock { $0.isListening = false }
            return
        }
        let observation = await connection.observe { [weak self] in
            // The handler is called repeatedly until everything is read.
            guard let self,
                state.withLock({ state in
                    defer { state.isReading = true }
                    return !state.isReading
                })
            else { return }
            Task { [weak self] in await self?.readNotifications() }
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { (state.connection, state.observation) = (connection, observation) }
            return state.isClosed
        }
        if isClosed { await end(connection, observation) }
        // There may have been a change before the connection listened.
        doorbell.ring()
    }

    private func readNotifications() async {
        let connection = state.withLock { $0.connection }
        let isNotified = await connection?.readNotifications()
        state.withLock { $0.isReading = false }
        if connection == nil { return }
        switch isNotified ?? nil {
        case true?: doorbell.ring()
        case false?: break
        case nil:
            await endListening()
            doorbell.ring()
        }
    }

    private func endListening() async {
        let (connection, observation) = state.withLock { state in
            defer { (state.connection, state.observation, state.isListening) = (nil, nil, false) }
            return (state.connection, state.observation)
        }
        if let connection { await end(connection, observation) }
    }

    /// Closes a connection once its socket is no longer observed.
    private func end(_ connection: PostgreSQLConnection, _ observation: SocketObservation?) async {
        await observation?.cancel()
        await connection.close()
    }

    func close() async {
        state.withLock { $0.isClosed = true }
        await endListening()
    }
}
#endif

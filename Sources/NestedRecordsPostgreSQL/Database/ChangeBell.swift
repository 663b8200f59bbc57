#if PostgreSQL
import NestedRecords

/// Tells others of changes, and learns of those of others.
///
/// What is announced in the transaction that saves takes a lock that all such transactions wait for. So it is announced
/// behind it, and for several saves at once: whoever waits looks for changes from time to time as well.
final class ChangeBell: Sendable {
    private struct State {
        var isAnnouncing = false

        /// Whether there is something to announce that came behind the announcement under way.
        var isDue = false
        var isListening = false

        /// Whether what the server has sent is about to be read.
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

    /// How often it has rung.
    var ringCount: UInt64 { doorbell.ringCount }

    /// Whether there is a connection over which the server sends notifications.
    var isListening: Bool { state.withLock { $0.connection != nil } }

    /// Tells everyone of a change.
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
            // Nothing depends on it: those who wait look by themselves.
            _ = try? await pool.execute([announcement], isRepeatable: true)
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Waits for the next ring, or for a time.
    ///
    /// - Parameters:
    ///   - count: How often it had rung before.
    ///   - time: How long to wait at most.
    /// - Throws: `CancellationError`.
    func wait(after count: UInt64, atMost time: Duration) async throws {
        listen()
        try await doorbell.wait(after: count, atMost: time)
    }

    // MARK: Listening

    /// Begins to listen to the server, unless it does already.
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
            // The next one who waits tries again.
            state.withLock { $0.isListening = false }
            return
        }
        let observation = await connection.observe { [weak self] in
            // It is called again and again until everything is read.
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
        // There may have been a change before it listened.
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

    /// Closes a connection once nothing looks at its socket any more.
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

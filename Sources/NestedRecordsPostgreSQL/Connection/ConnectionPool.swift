#if PostgreSQL
@_spi(Engines) import NestedRecords

/// Connections to a server that tasks use one after the other, in the order of their requests.
///
/// If no connection is free, one is opened while the tasks wait: they take the first connection that becomes free.
final class ConnectionPool: Sendable {
    private struct State {
        var free: [PostgreSQLConnection] = []
        var openCount = 0
        var openingCount = 0
        var waiters: [Promise<PostgreSQLConnection>] = []
        var isClosed = false

        /// Whether another connection may be opened, which is then counted.
        mutating func mayOpen(upTo size: Int) -> Bool {
            if openCount + openingCount >= size { return false }
            openingCount += 1
            return true
        }
    }

    private let state = Lock(State())
    private let parameters: ConnectionParameters
    private let firstStatements: [Statement]
    private let size: Int

    init(_ parameters: ConnectionParameters, _ firstStatements: [Statement], size: Int) {
        self.parameters = parameters
        self.firstStatements = firstStatements
        self.size = max(1, size)
    }

    var openCount: Int { state.withLock { $0.openCount } }

    /// Executes statements as one transaction.
    ///
    /// Statements that did not reach the server are sent again over another connection; those that may have been executed
    /// only if that is allowed. Otherwise the error has the code `connectionLost`, and the transaction may be committed.
    func execute(_ statements: [Statement], isRepeatable: Bool) async throws -> [Answer] {
        var attempt = 1
        while true {
            let connection = try await connection()
            let `switch` = CancelSwitch()
            do throws(Session.Failure) {
                let answers = try await execute(statements, on: connection, `switch`)
                // A late request to cancel would meet the next statement.
                giveBack(connection, isUsable: `switch`.time == nil)
                return answers
            } catch {
                switch error {
                case .cancelled:
                    giveBack(connection, isUsable: true)
                    throw CancellationError()
                case .refused(let refusal):
                    giveBack(connection, isUsable: `switch`.time == nil && !refusal.endsConnection)
                    if `switch`.time != nil, refusal.isCancellation { throw CancellationError() }
                    if refusal.endsConnection, isRepeatable, attempt < Self.mostAttempts { break }
                    throw refusal
                case .notSent(let message):
                    giveBack(connection, isUsable: false)
                    guard attempt - Self.mostAttempts < size else {
                        throw RecordDatabaseError(.notConnected, reason: message)
                    }
                case .lost(let message):
                    giveBack(connection, isUsable: false)
                    if isRepeatable {
                        if `switch`.time != nil { throw CancellationError() }
                        if attempt < Self.mostAttempts { break }
                    }
                    throw RecordDatabaseError(
                        .connectionLost, .system(operation: statements.first?.purpose), reason: message)
                }
            }
            attempt += 1
        }
    }

    private static let mostAttempts = 3

    private func execute(
        _ statements: [Statement], on connection: PostgreSQLConnection, _ switch: CancelSwitch
    ) async throws(Session.Failure) -> [Answer] {
        let result: Result<[Answer], Session.Failure> = await withTaskCancellationHandler {
            do throws(Session.Failure) {
                return .success(try await connection.execute(statements, `switch`))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            `switch`.cancel()
        }
        return try result.get()
    }

    /// Closes all connections; those in use are closed when they are returned.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.openCount -= state.free.count
            state.free = []
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(with: .failure(RecordDatabaseError(.closed))) }
    }

    // MARK: Waiting in order

    private func connection() async throws -> PostgreSQLConnection {
        try Task.checkCancellation()
        let waiter = Promise<PostgreSQLConnection>()
        let opens = try state.withLock { state in
            if state.isClosed { throw RecordDatabaseError(.closed) }
            if let connection = state.free.popLast() {
                waiter.resume(with: .success(connection))
                return false
            }
            state.waiters.append(waiter)
            return state.mayOpen(upTo: size)
        }
        if opens { open() }
        defer { state.withLock { $0.waiters.removeAll { $0 === waiter } } }
        return try await waiter.valueUnlessCancelled()
    }

    private func open() {
        Task { [self] in
            let connection = PostgreSQLConnection()
            do {
                try await connection.open(parameters, firstStatements)
                state.withLock { state in
                    state.openingCount -= 1
                    state.openCount += 1
                }
                giveBack(connection, isUsable: true)
            } catch {
                let waiters = state.withLock { state -> [Promise<PostgreSQLConnection>] in
                    state.openingCount -= 1
                    // Other connections may be returned.
                    guard state.openCount == 0, state.openingCount == 0 else { return [] }
                    defer { state.waiters = [] }
                    return state.waiters
                }
                for waiter in waiters { waiter.resume(with: .failure(error)) }
            }
        }
    }

    private func giveBack(_ connection: PostgreSQLConnection, isUsable: Bool) {
        let opens = state.withLock { state in
            guard isUsable, !state.isClosed else {
                state.openCount -= 1
                return !state.waiters.isEmpty && state.mayOpen(upTo: size)
            }
            while !state.waiters.isEmpty {
                // A cancelled waiter takes none.
                if state.waiters.removeFirst().resume(with: .success(connection)) { return false }
            }
            state.free.append(connection)
            return false
        }
        if opens { open() }
    }
}
#endif

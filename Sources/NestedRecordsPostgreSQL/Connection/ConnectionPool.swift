#if PostgreSQL
import NestedRecords

/// Connections to a server that tasks use one after the other, in the order in which they ask.
///
/// A connection is opened when there is no free one, beside the tasks that wait: these take whichever is free first.
final class ConnectionPool: Sendable {
    private typealias Waiter = CheckedContinuation<PostgreSQLConnection, any Error>

    private struct State {
        /// Those that are open and not used, the last one used last.
        var free: [PostgreSQLConnection] = []
        var openCount = 0
        var openingCount = 0
        var waiters: [(number: UInt64, waiter: Waiter)] = []
        var lastNumber: UInt64 = 0

        /// Those that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
        var isClosed = false
    }

    private let state = Lock(State())
    private let parameters: ConnectionParameters
    private let firstStatements: [Statement]
    private let size: Int

    /// - Parameters:
    ///   - parameters: How to connect.
    ///   - firstStatements: What to execute on each new connection.
    ///   - size: The greatest number of connections.
    init(_ parameters: ConnectionParameters, _ firstStatements: [Statement], size: Int) {
        self.parameters = parameters
        self.firstStatements = firstStatements
        self.size = max(1, size)
    }

    /// How many connections there are.
    var openCount: Int { state.withLock { $0.openCount } }

    /// Executes statements as one transaction.
    ///
    /// What did not reach the server is sent again over another connection.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - isRepeatable: Whether they may be executed again if it is not known whether they were.
    /// - Returns: An answer for each statement.
    /// - Throws: ``PostgreSQLRecordDatabaseError``, with the code `connectionLost` if the transaction may be committed,
    ///   and `CancellationError`.
    func execute(_ statements: [Statement], isRepeatable: Bool) async throws -> [Answer] {
        var attempt = 1
        while true {
            let connection = try await connection()
            let `switch` = CancelSwitch()
            do throws(Session.Failure) {
                let answers = try await execute(statements, on: connection, `switch`)
                // A late request to give up would meet the next statement.
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
                        throw PostgreSQLRecordDatabaseError(.notConnected, reason: message)
                    }
                case .lost(let message):
                    giveBack(connection, isUsable: false)
                    if isRepeatable {
                        if `switch`.time != nil { throw CancellationError() }
                        if attempt < Self.mostAttempts { break }
                    }
                    throw PostgreSQLRecordDatabaseError(
                        .connectionLost, reason: message, purpose: statements.first?.purpose)
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

    /// Ends the use of all connections; those in use end when they are given back.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.openCount -= state.free.count
            state.free = []
            defer { state.waiters = [] }
            return state.waiters
        }
        for (_, waiter) in waiters { waiter.resume(throwing: PostgreSQLRecordDatabaseError(.closed)) }
    }

    // MARK: Waiting in order

    /// A connection that no other task uses.
    private func connection() async throws -> PostgreSQLConnection {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in enqueue(waiter, number) }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let position = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: position).waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func enqueue(_ waiter: Waiter, _ number: UInt64) {
        enum Step {
            case wait, open
            case use(PostgreSQLConnection)
            case fail(any Error)
        }
        let step = state.withLock { state -> Step in
            if state.cancelled.contains(number) { return .fail(CancellationError()) }
            if state.isClosed { return .fail(PostgreSQLRecordDatabaseError(.closed)) }
            if let connection = state.free.popLast() { return .use(connection) }
            state.waiters.append((number, waiter))
            guard state.openCount + state.openingCount < size else { return .wait }
            state.openingCount += 1
            return .open
        }
        switch step {
        case .wait: break
        case .open: open()
        case .use(let connection): waiter.resume(returning: connection)
        case .fail(let failure): waiter.resume(throwing: failure)
        }
    }

    /// Opens a connection for whoever waits longest then.
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
                failOpening(error)
            }
        }
    }

    private func failOpening(_ failure: any Error) {
        let waiters = state.withLock { state -> [(number: UInt64, waiter: Waiter)] in
            state.openingCount -= 1
            // Others may be given back.
            guard state.openCount == 0, state.openingCount == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for (_, waiter) in waiters { waiter.resume(throwing: failure) }
    }

    private func giveBack(_ connection: PostgreSQLConnection, isUsable: Bool) {
        let (waiter, opens) = state.withLock { state -> (Waiter?, Bool) in
            guard isUsable, !state.isClosed else {
                state.openCount -= 1
                let opens = !state.waiters.isEmpty && state.openCount + state.openingCount < size
                if opens { state.openingCount += 1 }
                return (nil, opens)
            }
            guard !state.waiters.isEmpty else {
                state.free.append(connection)
                return (nil, false)
            }
            return (state.waiters.removeFirst().waiter, false)
        }
        waiter?.resume(returning: connection)
        if opens { open() }
    }
}
#endif

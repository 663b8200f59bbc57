#if SQLite
import Dispatch
import NestedRecords

/// A connection with a thread of its own, so that waiting for the disk or for others keeps no thread of tasks.
///
/// A serial queue: on Linux a concurrent one runs on the threads that tasks run on.
final class ConnectionQueue: Sendable {
    private enum State {
        case unopened
        case open(Connection)
        case closed
    }

    private let queue: DispatchQueue
    private let state: Lock<State>
    private let path: String
    private let open: @Sendable () throws -> Connection

    /// - Parameters:
    ///   - path: The path that errors name.
    ///   - open: Opens the connection, at its first use.
    init(label: String, path: String, open: @escaping @Sendable () throws -> Connection) {
        queue = DispatchQueue(label: label)
        state = Lock(.unopened)
        self.path = path
        self.open = open
    }

    /// Runs the closure in this thread.
    func runHere<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result {
        try state.withLock { state in
            switch state {
            case .open(let connection): return try body(connection)
            case .closed: throw SQLiteRecordDatabaseError(.closed, path: path)
            case .unopened:
                let connection = try open()
                state = .open(connection)
                return try body(connection)
            }
        }
    }

    /// Runs the closure in this thread, unless it would have to wait for others who use the file, or takes long.
    ///
    /// - Returns: What the closure returns; nil if the connection is not open, others use the file, or it takes too long.
    func runWithoutWaiting<Result: Sendable>(_ body: (Connection) throws -> Result) throws -> Result? {
        try state.withLock { state in
            guard case .open(let connection) = state else { return nil }
            do {
                return try connection.withoutWaiting { try body(connection) }
            } catch let failure as SQLiteRecordDatabaseError where failure.code == .busy {
                return nil
            } catch is Connection.NeedsOwnThread {
                return nil
            }
        }
    }

    /// Runs the closure in the connection's thread, after what was to be done there before.
    func enqueue(_ body: @escaping @Sendable (ConnectionQueue) -> Void) { queue.async { body(self) } }

    /// Runs the closure in the connection's thread, to its end also if the task is cancelled.
    func runToEnd<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await Promise.result { promise in
            queue.async { promise.resume(with: Swift.Result { try self.runHere(body) }) }
        }
    }

    /// Runs the closure in the connection's thread; it looks whether the task was cancelled.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
        let cancellation = Lock(false)
        return try await withTaskCancellationHandler {
            try await runToEnd { connection in
                connection.cancellation = cancellation
                defer { connection.cancellation = nil }
                try connection.checkCancellation()
                return try body(connection)
            }
        } onCancel: {
            cancellation.withLock { $0 = true }
        }
    }

    /// Closes the connection after what it has to do, once the closure has used it.
    func close(_ last: @escaping @Sendable (Connection) throws -> Void) async throws {
        try await Promise.result { promise in
            queue.async {
                let result = Result {
                    try self.state.withLock { state in
                        defer { state = .closed }
                        if case .open(let connection) = state { try last(connection) }
                    }
                }
                promise.resume(with: result)
            }
        }
    }
}

/// Connections that read, of which the one with the least to do is taken.
final class ReaderPool: Sendable {
    let queues: [ConnectionQueue]
    private let waiting: Lock<[Int]>

    init(_ queues: [ConnectionQueue]) {
        self.queues = queues
        waiting = Lock(Array(repeating: 0, count: queues.count))
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Result) async throws -> Result {
        let (number, _) = take()
        defer { giveBack(number) }
        return try await queues[number].run(body)
    }

    /// Runs what takes about as long as the change to another thread in this one, if a connection has nothing to do.
    ///
    /// A fetch of one record takes 20 µs in place of 35 µs. What turns out to take longer begins again in the other thread.
    func runShort<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let (number, isIdle) = take()
        defer { giveBack(number) }
        if isIdle, let result = try queues[number].runWithoutWaiting(body) { return result }
        return try await queues[number].run(body)
    }

    private func take() -> (number: Int, isIdle: Bool) {
        waiting.withLock { waiting in
            let number = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[number] += 1
            return (number, waiting[number] == 1)
        }
    }

    private func giveBack(_ number: Int) { waiting.withLock { $0[number] -= 1 } }
}
#endif

#if PostgreSQL
// Dispatch does not declare that its sources may be used in any thread.
@preconcurrency import Dispatch
import NestedRecords

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection to a server that works in its own thread.
actor PostgreSQLConnection {
    private nonisolated let executor = BlockingQueue(label: "NestedRecords PostgreSQL connection")
    private var session: Session?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects, and executes the first statements.
    ///
    /// - Throws: `RecordDatabaseError`.
    func open(_ parameters: ConnectionParameters, _ statements: [Statement]) throws {
        let session = try Session(parameters)
        guard session.serverVersion >= 130_000 else {
            throw RecordDatabaseError(
                .unsupported, reason: "the server has version \(session.serverVersion / 10_000), 13 is required")
        }
        if let encoding = session.parameterStatus("server_encoding"), encoding != "UTF8" {
            throw RecordDatabaseError(
                .unsupported, reason: "the encoding of the server's database is \(encoding), not UTF8")
        }
        do {
            _ = try session.execute(statements, CancelSwitch())
        } catch .refused(let refusal) {
            throw refusal
        } catch .lost(let message), .notSent(let message) {
            throw RecordDatabaseError(.notConnected, reason: message)
        } catch .cancelled {
            throw CancellationError()
        }
        self.session = session
    }

    /// Executes statements as one transaction.
    ///
    /// - Throws: ``Session/Failure``.
    func execute(_ statements: [Statement], _ switch: CancelSwitch) throws(Session.Failure) -> [Answer] {
        guard let session else { throw .notSent("the connection is closed") }
        do throws(Session.Failure) {
            return try session.execute(statements, `switch`)
        } catch {
            // A transaction that a refused statement has begun ends with the connection.
            if !session.isIdle { self.session = nil }
            throw error
        }
    }

    /// Calls the closure whenever the server may have sent a notification, or the connection may have ended.
    ///
    /// - Returns: The observation, which ends when it is cancelled; nil if there is no connection.
    func observe(_ body: @escaping @Sendable () -> Void) -> SocketObservation? {
        session.flatMap { SocketObservation($0.socket, body) }
    }

    /// Whether there was a notification; nil if the connection is lost.
    func readNotifications() -> Bool? {
        guard let session else { return nil }
        let isNotified = session.readNotifications()
        return session.isConnected ? isNotified : nil
    }

    func close() { session = nil }
}

/// Waits for bytes to read, without blocking a thread.
final class SocketObservation: Sendable {
    private let source: any DispatchSourceRead
    private let socket: Int32

    init?(_ socket: Int32, _ body: @escaping @Sendable () -> Void) {
        // libpq closes its own descriptor when the connection is lost, and its number may then be reused.
        let socket = dup(socket)
        if socket < 0 { return nil }
        self.socket = socket
        source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: .global())
        source.setEventHandler(handler: body)
        source.activate()
    }

    /// Ends the observation, and waits until the closure is no longer called.
    func cancel() async {
        await withCheckedContinuation { continuation in
            source.setCancelHandler { [socket] in
                close(socket)
                continuation.resume()
            }
            source.cancel()
        }
    }
}
#endif

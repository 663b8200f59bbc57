#if PostgreSQL
import CPostgreSQL
import Dispatch
import Foundation
import NestedRecords

final class Session {
    enum Failure: Error {
        case notSent(String)
        case lost(String)
        case refused(RecordDatabaseError)
        case cancelled
    }

    private let connection: OpaquePointer
    private let parameters: ConnectionParameters
    let cancelHandle: CancelHandle?
    private static let mostBytes = 1 << 30 - 1

    /// The time for a server to answer after a request to cancel.
    private static let patience = DispatchTimeInterval.seconds(5)

    init(_ parameters: ConnectionParameters) throws(RecordDatabaseError) {
        guard let connection = parameters.connect() else {
            throw RecordDatabaseError(.notConnected, reason: "out of memory")
        }
        guard PQstatus(connection) == CONNECTION_OK else {
            let message = parameters.message(String(cString: PQerrorMessage(connection)))
            PQfinish(connection)
            throw RecordDatabaseError(.notConnected, reason: message)
        }
        PQsetnonblocking(connection, 1)
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        self.connection = connection
        self.parameters = parameters
        cancelHandle = CancelHandle(connection)
    }

    deinit { PQfinish(connection) }

    convenience init(_ parameters: ConnectionParameters, executing statements: [Statement]) throws {
        try self.init(parameters)
        let version = Int(PQserverVersion(connection))
        guard version >= 130_000 else {
            throw RecordDatabaseError(
                .unsupported, reason: "the server has version \(version / 10_000), 13 is required")
        }
        let encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) } ?? "UTF8"
        guard encoding == "UTF8" else {
            throw RecordDatabaseError(
                .unsupported, reason: "the encoding of the server's database is \(encoding), not UTF8")
        }
        do {
            _ = try execute(statements, CancelSwitch())
        } catch .refused(let refusal) {
            throw refusal
        } catch .lost(let message), .notSent(let message) {
            throw RecordDatabaseError(.notConnected, reason: message)
        } catch .cancelled {
            throw CancellationError()
        }
    }

    var socket: Int32 { PQsocket(connection) }

    var isConnected: Bool { PQstatus(connection) == CONNECTION_OK }
    var isIdle: Bool { PQtransactionStatus(connection) == PQTRANS_IDLE }

    private var message: String { parameters.message(String(cString: PQerrorMessage(connection))) }

    /// Reads unsolicited messages of the server, including the end of the connection; returns whether there was a
    /// notification.
    func readNotifications(waitingAtMost milliseconds: Int32 = 0) -> Bool {
        var milliseconds = milliseconds
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        // The last message of the server and the end of the connection are read one after the other.
        while isConnected, poll(&waiting, 1, milliseconds) > 0 {
            guard PQconsumeInput(connection) == 1 else { break }
            _ = PQisBusy(connection)
            milliseconds = 0
        }
        var isNotified = false
        while let notification = PQnotifies(connection) {
            PQfreemem(notification)
            isNotified = true
        }
        return isNotified
    }

    /// Executes statements as one transaction, unless they say otherwise, in one round trip.
    func execute(_ statements: [Statement], _ switch: CancelSwitch) throws(Failure) -> [Answer] {
        if statements.isEmpty { return [] }
        for statement in statements where statement.parameters.contains(where: { $0.bytes.count > Self.mostBytes }) {
            throw .refused(
                RecordDatabaseError(
                    .unsupported, reason: "more than a gigabyte at a time", operation: statement.purpose))
        }
        _ = readNotifications()
        guard isConnected, PQenterPipelineMode(connection) == 1 else { throw .notSent(message) }
        guard `switch`.arm(cancelHandle) else {
            PQexitPipelineMode(connection)
            throw .cancelled
        }
        defer { `switch`.disarm() }
        for statement in statements where !send(statement) { throw .lost(message) }
        guard PQpipelineSync(connection) == 1 else { throw .lost(message) }
        var answers: [Answer] = []
        var refusal: RecordDatabaseError?
        while true {
            let result: OpaquePointer?
            do throws(Failure) {
                result = try next(`switch`)
            } catch {
                throw refusal.map { .refused($0) } ?? error
            }
            guard let result else {
                // Between the results of two statements.
                guard isConnected else { throw refusal.map { .refused($0) } ?? .lost(message) }
                continue
            }
            let purpose = statements[min(answers.count, statements.count - 1)].purpose
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                PQexitPipelineMode(connection)
                if let refusal { throw .refused(refusal) }
                return answers
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: answers.append(Answer(result, of: purpose))
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                defer { PQclear(result) }
                // Without a code it is libpq that reports the loss of the connection.
                guard let failure = serverError(result, purpose) else {
                    throw refusal.map { .refused($0) } ?? .lost(message)
                }
                // After the last statement the transaction may already be committed when the server ends the
                // connection.
                if answers.count == statements.count, !isConnected || failure.endsConnection {
                    throw .lost(failure.reason ?? "")
                }
                refusal = refusal ?? failure
            }
        }
    }

    private func send(_ statement: Statement) -> Bool {
        let parameters = statement.parameters
        // One array of bytes, so that none is moved while libpq reads them.
        var offsets: [Int] = []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.reduce(0) { $0 + $1.bytes.count } + 1)
        for parameter in parameters {
            offsets.append(bytes.count)
            bytes += parameter.bytes
        }
        bytes.append(0)
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in start.map { $0 + offset } }
            return PQsendQueryParams(
                connection, statement.text, Int32(parameters.count), parameters.map(\.type), values,
                parameters.map { Int32(truncatingIfNeeded: $0.bytes.count) },
                parameters.map { _ in 1 }, 1) == 1
        }
    }

    /// Waits for the next result; nil between the results of two statements.
    ///
    /// It reads while it writes: a server whose answers are not read stops reading.
    private func next(_ switch: CancelSwitch) throws(Failure) -> OpaquePointer? {
        while true {
            let flushed = PQflush(connection)
            if PQisBusy(connection) == 0 { return PQgetResult(connection) }
            var waiting = pollfd(
                fd: socket, events: Int16(POLLIN | (flushed == 1 ? POLLOUT : 0)), revents: 0)
            let count = poll(&waiting, 1, 500)
            if count > 0, waiting.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0,
                PQconsumeInput(connection) == 0, PQisBusy(connection) != 0
            {
                throw .lost(message)
            }
            if let time = `switch`.time, time + Self.patience < .now() {
                throw .lost("the server did not answer the request to cancel the statement")
            }
        }
    }

    private func serverError(_ result: OpaquePointer, _ purpose: String) -> RecordDatabaseError? {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { parameters.message(String(cString: $0)) }
        }
        guard let state = field(Int32(UInt8(ascii: "C"))) else { return nil }
        return .refused(
            sqlState: state, message: field(Int32(UInt8(ascii: "M"))) ?? "", hint: field(Int32(UInt8(ascii: "H"))),
            purpose: purpose)
    }
}
#endif

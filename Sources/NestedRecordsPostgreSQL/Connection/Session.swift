#if PostgreSQL
import CPostgreSQL
import Dispatch
import Foundation
@_spi(Engines) import NestedRecords

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

    /// The names under which the server keeps statements, by their SQL.
    private var keptNames: [String: String] = [:]

    /// The server keeps at most this many statements of a connection, which take memory; later ones are sent each time.
    private static let mostKeptStatements = 100
    private static let mostBytes = 1 << 30 - 1

    /// How long to wait for the server after a cancel request.
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
                    .unsupported, .system(operation: statement.purpose), reason: "more than a gigabyte at a time"))
        }
        _ = readNotifications()
        guard isConnected, PQenterPipelineMode(connection) == 1 else { throw .notSent(message) }
        guard `switch`.arm(cancelHandle) else {
            PQexitPipelineMode(connection)
            throw .cancelled
        }
        defer { `switch`.disarm() }
        let steps = steps(of: statements)
        for step in steps where !send(step) { throw .lost(message) }
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
            let step = steps[min(answers.count, steps.count - 1)]
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                PQexitPipelineMode(connection)
                if let refusal { throw .refused(refusal) }
                return zip(steps, answers).filter { !$0.0.isPreparation }.map(\.1)
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                // The server keeps a statement even if a later one fails.
                if step.isPreparation { keptNames[step.statement.text] = step.name }
                answers.append(Answer(result, of: step.statement.purpose))
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                defer { PQclear(result) }
                // Without a code it is libpq that reports the loss of the connection.
                guard let failure = serverError(result, step.statement.purpose) else {
                    throw refusal.map { .refused($0) } ?? .lost(message)
                }
                // After the last statement the transaction may already be committed when the server ends the
                // connection.
                if answers.count == steps.count, !isConnected || failure.endsConnection {
                    throw .lost(failure.reason ?? "")
                }
                refusal = refusal ?? failure
            }
        }
    }

    /// A statement to execute, or to keep before its first execution.
    private struct Step {
        let statement: Statement

        /// The name under which the server keeps the statement; nil if it does not.
        var name: String?
        var isPreparation = false
    }

    private func steps(of statements: [Statement]) -> [Step] {
        var newNames: [String: String] = [:]
        return statements.flatMap { statement -> [Step] in
            guard statement.isKept else { return [Step(statement: statement)] }
            if let name = keptNames[statement.text] ?? newNames[statement.text] {
                return [Step(statement: statement, name: name)]
            }
            let count = keptNames.count + newNames.count
            guard count < Self.mostKeptStatements else { return [Step(statement: statement)] }
            let name = "nested_records_\(count)"
            newNames[statement.text] = name
            return [
                Step(statement: statement, name: name, isPreparation: true), Step(statement: statement, name: name),
            ]
        }
    }

    private func send(_ step: Step) -> Bool {
        let statement = step.statement
        let parameters = statement.parameters
        if step.isPreparation, let name = step.name {
            let types = parameters.map(\.type)
            return PQsendPrepare(connection, name, statement.text, Int32(types.count), types) == 1
        }
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
            let lengths = parameters.map { Int32(truncatingIfNeeded: $0.bytes.count) }
            let formats = parameters.map { _ in Int32(1) }
            let count = Int32(parameters.count)
            if let name = step.name {
                return PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
            }
            return PQsendQueryParams(
                connection, statement.text, count, parameters.map(\.type), values, lengths, formats, 1) == 1
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

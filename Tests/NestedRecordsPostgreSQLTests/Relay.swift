#if PostgreSQL && canImport(Glibc)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import NestedRecordsPostgreSQL

/// Passes bytes on between clients and the test server, and loses some of them on request.
///
/// It is Sendable because its numbers do not change, and what does is guarded by a lock.
final class Relay: Sendable {
    /// What happens to the next bytes of a client.
    enum Fault: Sendable {
        /// They do not reach the server, and the connection ends.
        case losesRequest

        /// The server's answer to them does not reach the client, and the connection ends.
        case losesAnswer
    }

    private let listener: Int32
    let port: UInt16
    private let target: UInt16
    private let fault = Locked<Fault?>(nil)

    /// New connections, which nobody answers; nil if they are passed on.
    private let held = Locked<[Int32]?>(nil)

    /// How often clients have sent something after the last answer: as often as there were round trips.
    let requestCount = Locked(0)

    init(to target: UInt16) throws {
        self.target = target
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(listener, address, length) == 0, listen(listener, 16) == 0,
                    getsockname(listener, address, &length) == 0
                else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    $0.pointee.sin_port.byteSwapped
                }
            }
        }
        self.port = try #require(port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends it; open connections go on.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Answers no new connection.
    func holdConnections() { held.withLock { $0 = [] } }

    /// Ends those that it did not answer, and answers new ones.
    func releaseConnections() {
        let clients = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for client in clients { Glibc.close(client) }
    }

    /// How many connections nobody answered so far.
    let heldCount = Locked(0)

    func lose(_ fault: Fault) { self.fault.withLock { $0 = fault } }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { break }
            let isHeld = held.withLock { held in
                held?.append(client)
                return held != nil
            }
            if isHeld {
                heldCount.withLock { $0 += 1 }
                continue
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(target)
            let isConnected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            // Otherwise the last part of an answer waits up to 40 ms for a sign that the part before it has arrived.
            var isOn: Int32 = 1
            for socket in [client, server] {
                setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            }
            Thread.detachNewThread { [self] in pass(client, server) }
        }
        Glibc.close(listener)
    }

    private func pass(_ client: Int32, _ server: Int32) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var (losesAnswer, isAnswered) = (false, true)
        loop: while true {
            var waiting = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0 else { break }
            for (from, to) in [(0, server), (1, client)] where waiting[from].revents != 0 {
                let count = recv(waiting[from].fd, &bytes, bytes.count, 0)
                if count <= 0 { break loop }
                if from == 0 {
                    // A request may come in several pieces.
                    if isAnswered { requestCount.withLock { $0 += 1 } }
                    isAnswered = false
                    let fault = fault.withLock { fault in
                        defer { fault = nil }
                        return fault
                    }
                    if case .losesRequest? = fault { break loop }
                    if case .losesAnswer? = fault { losesAnswer = true }
                } else if losesAnswer {
                    break loop
                } else {
                    isAnswered = true
                }
                var sent = 0
                while sent < count {
                    let more = send(
                        to, Array(bytes[sent..<count]), count - sent, Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL)))
                    if more <= 0 { break loop }
                    sent += more
                }
            }
        }
        Glibc.close(client)
        Glibc.close(server)
    }
}

/// Calls the closure with a database over a relay, which has the tables of a database of the test server.
func withRelay(
    to database: PostgreSQLRecordDatabase, poolSize: Int = 1,
    _ body: (PostgreSQLRecordDatabase, Relay) async throws -> Void
) async throws {
    let server = try #require(URLComponents(string: TestServer.connection))
    let relay = try Relay(to: UInt16(try #require(server.port)))
    defer { relay.close() }
    var options = database.options
    options.poolSize = poolSize
    let client = try PostgreSQLRecordDatabase(
        connection: try TestServer.connection { $0.port = Int(relay.port) }, options: options)
    try await body(client, relay)
    await client.close()
}
#endif

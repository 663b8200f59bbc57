#if canImport(Glibc)
package import Foundation
import Glibc
package import NestedRecords
package import NestedRecordsHTTP

/// A server of HTTP/1.1 on a socket, for tests of the client's transport: one request a connection, and answers in chunks.
///
/// It is Sendable because its numbers do not change, and what does is guarded by a lock.
package final class SocketServer: Sendable {
    /// What happens to the next requests.
    package enum Fault: Sendable, CaseIterable {
        /// The connection ends before the request is answered.
        case closes

        /// The request is answered, and the connection ends before its answer.
        case loses

        /// The connection ends within the answer.
        case cuts

        /// The request is answered after some time.
        case delays

        /// The request arrives twice at the same time.
        case doubles

        /// The answer leads to another path.
        case redirects
    }

    private let listener: Int32
    package let port: UInt16
    private let respond: @Sendable (RecordHTTPRequest) async -> RecordHTTPResponse
    package let fault = Lock<Fault?>(nil)

    /// The share of the requests that have a fault other than a redirection, at random.
    package let faultShare = Lock(0.0)

    /// Whether answers are compressed, if the client accepts that.
    package let compresses = Lock(false)

    package let compressedCount = Lock(0)

    package let faultCount = Lock(0)
    package let requestCount = Lock(0)

    package var host: String { "127.0.0.1:\(port)" }
    package var url: URL { URL(string: "http://\(host)/records") ?? URL(fileURLWithPath: "/") }

    package convenience init(_ service: RecordDatabaseService) throws {
        try self.init { await service.respond(to: $0) }
    }

    /// - Parameter respond: Answers a request, whose path is as it was sent.
    package init(_ respond: @escaping @Sendable (RecordHTTPRequest) async -> RecordHTTPResponse) throws {
        self.respond = respond
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(listener, address, length) == 0, listen(listener, 64) == 0,
                    getsockname(listener, address, &length) == 0
                else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port.byteSwapped }
            }
        }
        guard let port else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = port
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 {
                    // Here, so that no other server has the descriptor while this loop accepts.
                    Glibc.close(listener)
                    return
                }
                Task { await answer(client) }
            }
        }
    }

    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func answer(_ client: Int32) async {
        defer { Glibc.close(client) }
        // Blocking reads of small requests of a test.
        guard let request = Self.request(from: client) else { return }
        requestCount.withLock { $0 += 1 }
        let fault = fault.withLock { $0 } ?? randomFault()
        if fault == .closes { return }
        if fault == .redirects {
            send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", to: client)
            return
        }
        if fault == .delays { try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<300))) }
        async let copy = fault == .doubles ? respond(request) : nil
        let response = await respond(request)
        _ = await copy
        if fault == .loses { return }
        var head = "HTTP/1.1 \(response.status) Status\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
        for (name, value) in response.headers.values { head += "\(name): \(value)\r\n" }
        let accepted = request.headers["accept-encoding"] ?? ""
        var gzip = compresses.withLock { $0 } && accepted.contains("gzip") ? GzipWriter() : nil
        if gzip != nil {
            head += "Content-Encoding: gzip\r\n"
            compressedCount.withLock { $0 += 1 }
        }
        guard send(head + "\r\n", to: client) else { return }
        do {
            if let gzip, !sendChunk(gzip.header, to: client) { return }
            for try await piece in response.body where !piece.isEmpty {
                let piece = gzip?.write(piece) ?? piece
                guard sendChunk(piece, isCut: fault == .cuts, to: client) else { return }
            }
        } catch { return }
        if let gzip, !sendChunk(gzip.end(), to: client) { return }
        send("0\r\n\r\n", to: client)
    }

    private func sendChunk(_ piece: [UInt8], isCut: Bool = false, to client: Int32) -> Bool {
        let head = Array("\(String(piece.count, radix: 16))\r\n".utf8)
        if isCut {
            _ = send(head + piece.prefix(piece.count / 2), to: client)
            return false
        }
        return send(head + piece + Array("\r\n".utf8), to: client)
    }

    private func randomFault() -> Fault? {
        guard Double.random(in: 0..<1) < faultShare.withLock({ $0 }) else { return nil }
        faultCount.withLock { $0 += 1 }
        return Fault.allCases.filter { $0 != .redirects }.randomElement()
    }

    @discardableResult
    private func send(_ text: String, to client: Int32) -> Bool { send(Array(text.utf8)[...], to: client) }

    private func send(_ bytes: [UInt8], to client: Int32) -> Bool { send(bytes[...], to: client) }

    private func send(_ bytes: ArraySlice<UInt8>, to client: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func request(from client: Int32) -> RecordHTTPRequest? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        var bodyStart: Int?
        var request: RecordHTTPRequest?
        var length = 0
        while true {
            if bodyStart == nil, let text = String(bytes: bytes, encoding: .isoLatin1),
                let end = text.range(of: "\r\n\r\n")
            {
                let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                let words = lines[0].split(separator: " ")
                guard words.count == 3 else { return nil }
                var found = RecordHTTPRequest(method: String(words[0]), path: String(words[1]))
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    if parts.count == 2 {
                        found.headers[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
                    }
                }
                length = Int(found.headers["content-length"] ?? "") ?? 0
                bodyStart = text[..<end.upperBound].unicodeScalars.count
                request = found
            }
            if let start = bodyStart, bytes.count >= start + length {
                request?.body = RecordHTTPBody(Array(bytes[start..<start + length]))
                return request
            }
            let count = recv(client, &piece, piece.count, 0)
            if count <= 0 { return nil }
            bytes += piece[..<count]
        }
    }
}
#endif

public import Foundation
import NestedRecords

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends requests with a `URLSession` of its own.
///
/// Redirects are not followed, and nothing is cached or kept as a cookie. On Apple's systems a body that is read slowly suspends
/// its task. On Linux a suspended task of Foundation begins again when it is resumed, so what was not read yet is in memory.
public final class URLSessionTransport: RecordHTTPTransport {
    private let url: URL
    private let session: URLSession
    private let exchanges: Exchanges

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - url: The address to which paths are appended, such as `https://example.org/records`.
    ///   - configuration: The configuration of the session.
    public init(_ url: URL, configuration: URLSessionConfiguration = .ephemeral) {
        self.url = url
        exchanges = Exchanges()
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request; see ``RecordHTTPTransport``.
    public func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
        try Task.checkCancellation()
        var sent = URLRequest(url: try address(of: request))
        sent.httpMethod = request.method
        sent.timeoutInterval = deadline.inSeconds
        for (name, value) in request.headers.values { sent.setValue(value, forHTTPHeaderField: name) }
        sent.httpBody = try await request.body.bytes().map { Data($0) }
        let task = session.dataTask(with: sent)
        let exchange = Exchange(task)
        exchanges.begin(exchange)
        return try await withTaskCancellationHandler {
            task.resume()
            return try await exchange.response()
        } onCancel: {
            task.cancel()
        }
    }
}

extension URLSessionTransport {
    private func address(of request: RecordHTTPRequest) throws -> URL {
        let address = request.path.isEmpty ? url : url.appendingPathComponent(request.path)
        if request.query.isEmpty { return address }
        var parts = URLComponents(url: address, resolvingAgainstBaseURL: false)
        // Setting a query with other characters would end the process.
        let isEncoded = request.query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        if isEncoded, request.query.removingPercentEncoding != nil { parts?.percentEncodedQuery = request.query }
        guard let url = parts?.url, parts?.percentEncodedQuery != nil else {
            throw RecordDatabaseError(.invalidOptions, reason: "the query of a request is not percent-encoded")
        }
        return url
    }
}

/// The requests whose responses arrive.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private let open = Lock<[Int: Exchange]>([:])

    func begin(_ exchange: Exchange) { open.withLock { $0[exchange.task.taskIdentifier] = exchange } }

    private func exchange(of task: URLSessionTask) -> Exchange? { open.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.begin(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.add(Array(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        open.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.end(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// A request, and the part of its response that was not read yet.
private final class Exchange: Sendable {
    let task: URLSessionDataTask
    private let started = Promise<RecordHTTPResponse>()
    private let state = Lock(State())
    private let news = Doorbell()

    private struct State {
        var pieces: [[UInt8]] = []
        var size = 0
        var isSuspended = false
        var end: Result<Void, any Error>?
    }

    /// The number of unread bytes above which the task is suspended.
    private static let mostUnreadBytes = 1 << 20

    init(_ task: URLSessionDataTask) { self.task = task }

    func response() async throws -> RecordHTTPResponse { try await started.value() }

    func begin(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        var headers: RecordHTTPHeaders = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        started.resume(
            with: .success(
                RecordHTTPResponse(
                    status: response.statusCode, headers: headers, body: RecordHTTPBody { Pieces(reader: Reader(self)) }
                )))
    }

    func add(_ piece: [UInt8]) {
        state.withLock { state in
            state.pieces.append(piece)
            state.size += piece.count
            #if !canImport(FoundationNetworking)
            guard state.size > Self.mostUnreadBytes, !state.isSuspended else { return }
            state.isSuspended = true
            task.suspend()
            #endif
        }
        news.ring()
    }

    func end(_ error: (any Error)?) {
        let failure = error.map(Self.failure)
        state.withLock { $0.end = failure.map { .failure($0) } ?? .success(()) }
        started.resume(
            with: .failure(failure ?? RecordDatabaseError(.connectionLost, reason: "the server sent no response")))
        news.ring()
    }

    /// The next piece; nil at the end.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            while true {
                let count = news.ringCount
                let (piece, end) = state.withLock { state -> ([UInt8]?, Result<Void, any Error>?) in
                    if state.pieces.isEmpty { return (nil, state.end) }
                    let pieces = Array(state.pieces.joined())
                    (state.pieces, state.size) = ([], 0)
                    if state.isSuspended {
                        state.isSuspended = false
                        task.resume()
                    }
                    return (pieces, nil)
                }
                if let piece { return piece }
                if let end {
                    try end.get()
                    return nil
                }
                try await news.wait { news.ringCount != count }
            }
        } onCancel: {
            task.cancel()
        }
    }

    private static func failure(_ error: any Error) -> any Error {
        guard let error = error as? URLError else {
            // Errors of other domains, such as those of POSIX, have the address too.
            let code = (error as? any CustomNSError).map { " \($0.errorCode)" } ?? ""
            return RecordDatabaseError(.connectionLost, reason: "\(type(of: error))\(code)")
        }
        // The description of the error itself is a dump of its dictionary on Linux, which has the address with its query.
        let reason = "\(URLError.errorDomain) \(error.code.rawValue)"
        switch error.code {
        case .cancelled: return CancellationError()
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
            .unsupportedURL, .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            return RecordDatabaseError(.notConnected, reason: reason, underlyingError: URLError(error.code))
        default: return RecordDatabaseError(.connectionLost, reason: reason, underlyingError: URLError(error.code))
        }
    }

    private struct Pieces: AsyncIteratorProtocol {
        let reader: Reader

        func next() async throws -> [UInt8]? { try await reader.exchange.next() }
    }

    /// Ends the request when the reader of its body stops, which only an object learns.
    private final class Reader: Sendable {
        let exchange: Exchange

        init(_ exchange: Exchange) { self.exchange = exchange }

        deinit { exchange.task.cancel() }
    }
}

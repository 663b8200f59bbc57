@_spi(Engines) import NestedRecords

/// Sends calls to a service, and reads its answers.
struct ServiceExchange: Sendable {
    let transport: any RecordHTTPTransport
    let options: RemoteRecordDatabase.Options

    /// Sends a call, and reads its whole answer.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - message: What is sent.
    ///   - batch: The batch that is sent; nil for other calls.
    ///   - read: Reads the answer.
    /// - Throws: `RecordDatabaseError` with the code `connectionLost` for an answer that is cut; `RecordError` with the code
    ///   `invalidResponse` for one that is not of the protocol; the error of the service.
    func send<Answer>(
        _ call: Call, _ message: Message, batch: RecordBatch? = nil, _ read: (Message) throws -> Answer
    ) async throws -> Answer {
        let body = try await begin(call, message, batch: batch)
        do {
            return try read(Message(try await body.bytes() ?? []))
        } catch {
            throw Self.failure(of: error, to: call.rawValue)
        }
    }

    /// Sends a call, and returns the body of its answer.
    func begin(_ call: Call, _ message: Message, batch: RecordBatch? = nil) async throws -> RecordHTTPBody {
        var request = RecordHTTPRequest(
            method: "POST", path: "\(Call.version)/\(call.rawValue)", headers: ["content-type": Call.contentType],
            body: RecordHTTPBody(try message.bytes()))
        request.headers["accept"] = Call.contentType
        let response = try await send(request)
        guard response.status == 200 else { throw try await error(of: response, to: call.rawValue, batch: batch) }
        return response.body
    }

    /// Sends a request about the bytes of an asset, and returns the body of its answer.
    func begin(_ path: AssetPath, range: Range<Int64>? = nil, body: [UInt8] = []) async throws -> RecordHTTPBody {
        var request = RecordHTTPRequest(method: path.method, path: path.path, body: RecordHTTPBody(body))
        if !body.isEmpty { request.headers["content-type"] = "application/octet-stream" }
        request.headers["range"] = range.map { "bytes=\($0.lowerBound)-\($0.upperBound - 1)" }
        let response = try await send(request)
        guard response.status == (range == nil ? 200 : 206) else {
            throw try await error(of: response, to: path.path, batch: nil)
        }
        return response.body
    }

    /// Sends a request with the access token, once more with another token if it is refused.
    private func send(_ request: RecordHTTPRequest) async throws -> RecordHTTPResponse {
        let token = try await options.accessToken?(nil)
        let response = try await transport.send(prepared(request, token), deadline: options.deadline)
        guard response.status == 401, let token else { return response }
        let other = try await options.accessToken?(token)
        return try await transport.send(prepared(request, other), deadline: options.deadline)
    }

    /// The request with the fields that each request has.
    func prepared(_ request: RecordHTTPRequest, _ token: String?) -> RecordHTTPRequest {
        var request = request
        request.headers["authorization"] = token.map { "Bearer \($0)" }
        request.headers[HeaderName.capabilities] = "\(options.capabilities.rawValue)"
        request.headers[HeaderName.app] = options.appVersion
        request.headers[HeaderName.schema] = options.schemaVersion
        return request
    }

    /// The error of a response with a status other than 200.
    private func error(of response: RecordHTTPResponse, to call: String, batch: RecordBatch?) async throws -> any Error
    {
        if response.headers["content-type"]?.utf8.starts(with: Call.contentType.utf8) == true {
            do {
                let message = try Message(try await response.body.bytes() ?? [])
                return try ErrorForm.error(
                    from: message.map.required("error", \.members), records: message.records, batch: batch)
            } catch {
                return Self.failure(of: error, to: call)
            }
        }
        // An answer of something between, such as a proxy.
        let reason = "the answer to \(call) has the status \(response.status)"
        switch response.status {
        case 401: return RecordDatabaseError(.notSignedIn, reason: reason)
        case 403: return RecordDatabaseError(.notPermitted, reason: reason)
        case 413: return RecordDatabaseError(.batchTooLarge, reason: reason)
        case 429:
            var error = RecordDatabaseError(.tooManyRequests, reason: reason)
            error.retryAfter = response.headers["retry-after"].flatMap { Int($0) }.map {
                .seconds(min(max(0, $0), 86_400))
            }
            return error
        // The service may have got the request.
        case 408, 500...: return RecordDatabaseError(.connectionLost, reason: reason)
        default: return RecordError(.invalidResponse, reason: reason)
        }
    }

    /// The error for the caller of an answer that cannot be read.
    static func failure(of error: any Error, to call: String) -> any Error {
        switch error {
        case is MessageEnd.Cut:
            RecordDatabaseError(.connectionLost, reason: "the answer to \(call) was cut")
        case is MalformedMessage, is RecordFormatError:
            RecordError(
                .invalidResponse, reason: "the answer to \(call) is not of the protocol: \(error)",
                underlyingError: error)
        default: error
        }
    }
}

import Foundation
import NestedRecords
import NestedRecordsHTTP

/// A response, and its body.
typealias WebAnswer = (response: RecordHTTPResponse, body: [UInt8])

/// Adds what proves the rights of a caller to requests.
protocol WebCredentials: Sendable {
    /// Sends a request, whose path has its final form.
    func send(
        _ request: RecordHTTPRequest, body: [UInt8],
        _ send: @escaping @Sendable (RecordHTTPRequest) async throws -> WebAnswer
    ) async throws -> WebAnswer
}

/// The tokens of a container and of a user.
final class UserCredentials: WebCredentials {
    private let apiToken: String
    private let webAuthToken: Lock<String>
    private let keep: @Sendable (String) async -> Void

    /// Each token is for one request.
    private let turns = Turns()

    init(apiToken: String, webAuthToken: String, keep: @escaping @Sendable (String) async -> Void) {
        (self.apiToken, self.webAuthToken, self.keep) = (apiToken, Lock(webAuthToken), keep)
    }

    func send(
        _ request: RecordHTTPRequest, body: [UInt8],
        _ send: @escaping @Sendable (RecordHTTPRequest) async throws -> WebAnswer
    ) async throws -> WebAnswer {
        try await turns.inTurn {
            // A caller that is cancelled must not lose the next token, which may be on its way.
            try await Task { try await sendWithToken(request, send) }.value
        }
    }

    private func sendWithToken(
        _ request: RecordHTTPRequest, _ send: @escaping @Sendable (RecordHTTPRequest) async throws -> WebAnswer
    ) async throws -> WebAnswer {
        var request = request
        let token = webAuthToken.withLock { $0 }
        request.query = "ckAPIToken=\(Self.encoded(apiToken))&ckWebAuthToken=\(Self.encoded(token))"
        let answer = try await send(request)
        if let next = answer.response.headers["x-apple-cloudkit-web-auth-token"], !next.isEmpty, next != token {
            webAuthToken.withLock { $0 = next }
            await keep(next)
        }
        return answer
    }

    private static func encoded(_ text: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

/// A server-to-server key.
struct KeyCredentials: WebCredentials {
    let id: String
    let sign: @Sendable (_ bytes: Data) async throws -> Data

    /// How much the clock of the server is ahead.
    private let difference = Lock(0.0)

    init(id: String, sign: @escaping @Sendable (_ bytes: Data) async throws -> Data) {
        (self.id, self.sign) = (id, sign)
    }

    func send(
        _ request: RecordHTTPRequest, body: [UInt8],
        _ send: @escaping @Sendable (RecordHTTPRequest) async throws -> WebAnswer
    ) async throws -> WebAnswer {
        let used = difference.withLock { $0 }
        let answer = try await send(signed(request, body, ahead: used))
        let date = answer.response.headers["date"].flatMap(Self.date(ofHeader:))
        guard answer.response.status == 401, let date else { return answer }
        // Apple refuses a signature whose date differs too much.
        let found = date.timeIntervalSinceNow
        difference.withLock { $0 = found }
        return abs(found - used) > 30 ? try await send(signed(request, body, ahead: found)) : answer
    }

    private func signed(
        _ request: RecordHTTPRequest, _ body: [UInt8], ahead difference: Double
    ) async throws -> RecordHTTPRequest {
        let now = Date(timeIntervalSinceNow: difference)
        // Without a fraction of a second.
        let seconds = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        guard let date = seconds.recordString else {
            throw RecordDatabaseError(.invalidOptions, reason: "the clock has the date \(now)")
        }
        var hash = SHA256()
        body.withBytesInPlace { hash.add($0) }
        let message = "\(date):\(Data(hash.bytes).base64EncodedString()):\(request.path)"
        var request = request
        request.headers["x-apple-cloudkit-request-keyid"] = id
        request.headers["x-apple-cloudkit-request-iso8601date"] = date
        request.headers["x-apple-cloudkit-request-signaturev1"] =
            try await sign(Data(message.utf8)).base64EncodedString()
        return request
    }

    /// The date of a header.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
    static func date(ofHeader text: String) -> Date? {
        let parts = text.unicodeScalars.split { $0 == " " || $0 == ":" }.map { String($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: parts[2]) else { return nil }
        let text = "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4]):\(parts[5]):\(parts[6])Z"
        return Date(recordString: text)
    }
}

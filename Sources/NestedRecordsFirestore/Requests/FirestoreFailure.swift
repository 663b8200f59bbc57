import NestedRecords

/// An error that Firestore has answered with.
///
/// https://cloud.google.com/apis/design/errors has the form, and the meaning of each status.
struct FirestoreFailure: Error {
    /// The name of the status, such as `ABORTED`.
    let status: String
    let message: String
    let retryAfter: Duration?

    init(status: String, message: String, retryAfter: Duration? = nil) {
        (self.status, self.message, self.retryAfter) = (status, message, retryAfter)
    }

    /// Reads the error of an answer; nil without one.
    init?(_ json: JSONValue) {
        guard let error = json["error"] else { return nil }
        let code = error["code"]?.double.flatMap { Int(exactly: $0) }
        self.init(
            status: error["status"]?.text ?? Self.status(ofHTTP: code ?? 500), message: error["message"]?.text ?? "",
            retryAfter: Self.retryDelay(in: error["details"]?.elements ?? []))
    }

    /// The time after which a call may be made again, if the details of an error have one.
    private static func retryDelay(in details: [JSONValue]) -> Duration? {
        let delays = details.compactMap { $0["retryDelay"]?.text }
        // A duration in the JSON form of protocol buffers: 1.5s.
        guard let delay = delays.first, delay.utf8.last == UInt8(ascii: "s"), let seconds = Double(delay.dropLast())
        else { return nil }
        return .seconds(min(max(0, seconds), 86_400))
    }

    /// The status for one of HTTP, for answers of something between, such as a proxy.
    static func status(ofHTTP status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 409: "ABORTED"
        case 429: "RESOURCE_EXHAUSTED"
        case 503: "UNAVAILABLE"
        case 504: "DEADLINE_EXCEEDED"
        default: status < 500 ? "INVALID_ARGUMENT" : "INTERNAL"
        }
    }

    /// Whether a document may not have the state that a write requires; the error names no write.
    var isUnmetPrecondition: Bool { ["FAILED_PRECONDITION", "ALREADY_EXISTS", "NOT_FOUND"].contains(status) }

    /// Whether the writes of a commit may be applied in spite of the error.
    var hidesOutcome: Bool {
        ["UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "CANCELLED"].contains(status)
    }

    /// The error for the caller.
    var error: RecordDatabaseError {
        let reason = message.isEmpty ? status : "\(status): \(message)"
        switch status {
        case "UNAUTHENTICATED": return RecordDatabaseError(.notSignedIn, reason: reason)
        case "PERMISSION_DENIED": return RecordDatabaseError(.notPermitted, reason: reason)
        case "RESOURCE_EXHAUSTED": return transient(.tooManyRequests, reason)
        case "ABORTED": return transient(.busy, reason)
        case "FAILED_PRECONDITION":
            let link = message.unicodeScalars.split(separator: " ").map { String($0) }.first {
                $0.utf8.starts(with: "https://".utf8)
            }
            return RecordDatabaseError(
                .refused, .system(code: status), reason: message,
                hint: link.map { "the query needs an index, which this page makes: \($0)" })
        case _ where hidesOutcome: return transient(.connectionLost, reason)
        default: return RecordDatabaseError(.refused, .system(code: status), reason: message)
        }
    }

    private func transient(_ code: RecordDatabaseError.Code, _ reason: String) -> RecordDatabaseError {
        var error = RecordDatabaseError(code, reason: reason)
        error.retryAfter = retryAfter
        return error
    }
}

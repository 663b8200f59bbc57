import Foundation
import NestedRecords
import NestedRecordsHTTP

/// Sends calls to the web services, and reads their answers.
struct WebExchange: Sendable {
    let transport: any RecordHTTPTransport
    let credentials: any WebCredentials

    /// The path of the database: `/database/1/<container>/<environment>/<database>`.
    let path: String
    let deadline: Duration

    /// What sends requests to the address of a file, which is not one of CloudKit's calls.
    let files: @Sendable (URL) -> any RecordHTTPTransport

    /// Sends a call.
    ///
    /// - Parameters:
    ///   - call: The last part of the path, such as `records/modify`.
    ///   - body: The request; nil for one without a body, whose method is `GET`.
    ///   - isWrite: Whether the call may change something.
    /// - Throws: ``CloudKitFailure``.
    func send(_ call: String, _ body: JSONValue?, isWrite: Bool = false) async throws -> JSONValue {
        let bytes = body?.bytes ?? []
        let request = RecordHTTPRequest(
            method: body == nil ? "GET" : "POST", path: "\(path)/\(call)",
            headers: body == nil ? [:] : ["content-type": "application/json"], body: RecordHTTPBody(bytes))
        let (status, json): (Int, JSONValue?)
        try Task.checkCancellation()
        do {
            let (response, answer) = try await credentials.send(request, body: bytes) { [transport, deadline] in
                let response = try await transport.send($0, deadline: deadline)
                return (response, try await response.body.bytes(atMost: Self.mostBytes) ?? [])
            }
            (status, json) = (response.status, try? JSONValue(reading: answer))
        } catch is CancellationError where isWrite {
            throw CloudKitFailure.unknownOutcome(
                RecordDatabaseError(.connectionLost, reason: "the call was cancelled on its way"))
        } catch let error as RecordDatabaseError where error.code == .connectionLost && isWrite {
            throw CloudKitFailure.unknownOutcome(error)
        } catch let error as RecordDatabaseError {
            throw CloudKitFailure.other(error)
        }
        if let json, let error = WebError(json) { throw error.failure(isWrite: isWrite, status: status) }
        // A page of a proxy, or an answer that is cut.
        guard status == 200, let json, json.object != nil else {
            let lost = RecordDatabaseError(
                .connectionLost, reason: "the answer to \(call) has the status \(status) and is not one of CloudKit")
            throw isWrite ? CloudKitFailure.unknownOutcome(lost) : .other(lost)
        }
        return json
    }

    /// Sends or reads a file, for which CloudKit has given an address: no tokens are sent to it, and errors do not have it.
    ///
    /// - Parameter bytes: The bytes to send; nil to read the file.
    /// - Returns: The bytes of the answer.
    func sendFile(_ bytes: Data?, to address: String) async throws -> [UInt8] {
        // The address of a file to read may have a place for its name, "${f}", which no page describes. Any name will do, so it
        // is encoded as it is.
        guard let url = URL(string: address), url.scheme == "https", url.host != nil else {
            throw Self.unreadable("assets")
        }
        let lost = RecordDatabaseError(.connectionLost, reason: "the server of files has not answered as expected")
        do {
            let request = RecordHTTPRequest(
                method: bytes == nil ? "GET" : "POST", path: "",
                headers: bytes == nil ? [:] : ["content-type": "application/octet-stream"],
                body: RecordHTTPBody(Array(bytes ?? Data())))
            let response = try await files(url).send(request, deadline: deadline)
            guard response.status == 200, let answer = try await response.body.bytes(atMost: Self.mostBytesOfFile)
            else {
                throw lost
            }
            return answer
        } catch let error as RecordDatabaseError {
            throw CloudKitFailure.other(error)
        }
    }

    private static let mostBytesOfFile = 2 * Int(ZoneAssetChunks.partSize)

    /// Throws since an answer has another form.
    static func unreadable(_ call: String, isWrite: Bool = false) -> CloudKitFailure {
        let lost = RecordDatabaseError(
            .connectionLost, reason: "the answer to \(call) has another form than CloudKit's")
        return isWrite ? .unknownOutcome(lost) : .other(lost)
    }

    /// More than any answer has: 200 records of one megabyte, as base64.
    private static let mostBytes = 400_000_000
}

/// An error of the web services, about a request or a record.
///
/// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ErrorCodes.html
struct WebError {
    let code: String
    let reason: String
    let retryAfter: Duration?

    /// Reads an error; nil for an answer without one.
    init?(_ json: JSONValue) {
        guard let code = json["serverErrorCode"]?.text else { return nil }
        self.code = code
        reason = json["reason"]?.text ?? ""
        retryAfter = json["retryAfter"]?.double.map { .seconds(min(max(0, $0), 86_400)) }
    }

    /// Whether a record is not as an operation requires.
    var isOutdated: Bool { ["CONFLICT", "EXISTS"].contains(code) }

    /// - Parameters:
    ///   - isWrite: Whether the request may have changed something.
    ///   - status: The status of the answer, if the error is about all of it.
    func failure(isWrite: Bool, status: Int = 200) -> CloudKitFailure {
        func error(_ code: RecordDatabaseError.Code) -> CloudKitFailure {
            var error = RecordDatabaseError(
                code, .system(code: self.code), reason: reason.isEmpty ? self.code : "\(self.code): \(reason)")
            if error.isTransient { error.retryAfter = retryAfter }
            return .other(error)
        }
        switch code {
        case "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "SIGN_IN_FAILED": return error(.notSignedIn)
        case "ACCESS_DENIED": return error(.notPermitted)
        case "QUOTA_EXCEEDED": return error(.quotaExceeded)
        case "THROTTLED": return error(.tooManyRequests)
        case "TRY_AGAIN_LATER", "ZONE_BUSY": return error(.busy)
        case "ZONE_NOT_FOUND": return .zoneMissing(reason: "the zone does not exist")
        case _ where code == "INTERNAL_ERROR" || status >= 500:
            let lost = RecordDatabaseError(.connectionLost, .system(code: code), reason: reason)
            return isWrite ? .unknownOutcome(lost) : .other(lost)
        default: return error(.refused)
        }
    }
}

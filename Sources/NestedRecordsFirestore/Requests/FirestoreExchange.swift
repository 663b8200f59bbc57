import NestedRecords
import NestedRecordsHTTP

/// Sends calls to Firestore, and reads its answers.
struct FirestoreExchange: Sendable {
    let transport: any RecordHTTPTransport
    let token: @Sendable (_ refused: String?) async throws -> String
    let deadline: Duration

    /// Sends a call whose answer is one object.
    ///
    /// - Parameters:
    ///   - call: The last part of the path, such as `commit`.
    ///   - path: The path of the documents that the call is about.
    ///   - body: The request.
    /// - Throws: ``FirestoreFailure``; `RecordDatabaseError` with the code `connectionLost` for an answer that is cut.
    func send(_ call: String, in path: String, _ body: JSONValue) async throws -> JSONValue {
        let answer = try await answer(to: call, in: path, body)
        guard answer.object != nil else { throw Self.cut(call) }
        return answer
    }

    /// Sends a call whose answer is a list, in which an error may follow other elements.
    func list(_ call: String, in path: String, _ body: JSONValue) async throws -> [JSONValue] {
        guard let elements = try await answer(to: call, in: path, body).elements else { throw Self.cut(call) }
        for element in elements { if let failure = FirestoreFailure(element) { throw failure } }
        return elements
    }

    private func answer(to call: String, in path: String, _ body: JSONValue) async throws -> JSONValue {
        let request = RecordHTTPRequest(
            method: "POST", path: "v1/\(path):\(call)", headers: ["content-type": "application/json"],
            body: RecordHTTPBody(body.bytes))
        let first = try await token(nil)
        var response = try await send(request, first)
        if response.status == 401 {
            let second = try await token(first)
            if second != first { response = try await send(request, second) }
        }
        let bytes = try await response.body.bytes() ?? []
        let json = try Self.json(bytes, of: call)
        if response.status == 200 {
            guard let json else { throw Self.cut(call) }
            return json
        }
        // The error of a call whose answer is a list is in a list.
        if let failure = (json?.elements?.first ?? json).flatMap(FirestoreFailure.init) { throw failure }
        // The status alone does not say whether a write of a commit is unmet.
        if response.headers["content-type"]?.utf8.starts(with: "application/json".utf8) == true { throw Self.cut(call) }
        throw FirestoreFailure(
            status: FirestoreFailure.status(ofHTTP: response.status),
            message: "the answer to \(call) has the status \(response.status)",
            retryAfter: response.headers["retry-after"].flatMap { Int($0) }.map { .seconds(min(max(0, $0), 86_400)) })
    }

    /// Reads an answer; nil for one that is cut, and for text of another form.
    ///
    /// - Throws: `RecordError` with the code `invalidResponse` for a whole answer that records cannot hold: Firestore compares
    ///   names byte by byte, so that a document may have one in two spellings.
    private static func json(_ bytes: [UInt8], of call: String) throws -> JSONValue? {
        do {
            return try JSONValue(reading: bytes)
        } catch {
            guard (try? JSONTree(bytes)) != nil else { return nil }
            throw RecordError(
                .invalidResponse,
                reason: "the answer to \(call) has names or values that a record cannot hold, at \(error)")
        }
    }

    private func send(_ request: RecordHTTPRequest, _ token: String) async throws -> RecordHTTPResponse {
        var request = request
        request.headers["authorization"] = "Bearer \(token)"
        return try await transport.send(request, deadline: deadline)
    }

    static func cut(_ call: String) -> RecordDatabaseError {
        RecordDatabaseError(.connectionLost, reason: "the answer to \(call) was cut")
    }
}

/// Calls the closure, and turns the errors of Firestore into those of a database.
func reportingFailures<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let failure as FirestoreFailure {
        throw failure.error
    }
}

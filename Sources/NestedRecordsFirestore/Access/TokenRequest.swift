import NestedRecords
import NestedRecordsHTTP

/// A request for an access token.
struct TokenRequest {
    let request: RecordHTTPRequest

    // https://cloud.google.com/compute/docs/metadata/querying-metadata and
    // https://cloud.google.com/docs/authentication/rest#metadata-server
    static let metadataServer = TokenRequest(
        request: RecordHTTPRequest(
            method: "GET", path: "computeMetadata/v1/instance/service-accounts/default/token",
            headers: ["metadata-flavor": "Google"]))

    /// - Throws: `RecordDatabaseError` with the code `notSignedIn` for an answer without a token.
    func token(_ transport: any RecordHTTPTransport) async throws -> TokenCache.Token {
        let response = try await transport.send(request, deadline: .seconds(30))
        let json = try? JSONValue(reading: try await response.body.bytes() ?? [])
        guard response.status == 200, let text = json?["access_token"]?.text, let seconds = json?["expires_in"]?.double
        else {
            let reason = json?["error_description"]?.text ?? json?["error"]?.text
            throw RecordDatabaseError(
                .notSignedIn,
                reason: "the request for a token has the status \(response.status)" + (reason.map { ": \($0)" } ?? ""))
        }
        return TokenCache.Token(text: text, lifetime: .seconds(min(max(0, seconds), 86_400)))
    }
}

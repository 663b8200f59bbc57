import NestedRecords

/// What sends requests of HTTP to one server.
///
/// ``URLSessionTransport`` is one. A test passes the requests to a ``RecordDatabaseService`` in the same process.
public protocol RecordHTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request; its path and its query are appended to the address of the server.
    ///   - deadline: The time until the response begins.
    /// - Returns: The response, whose body may still arrive.
    /// - Throws: `RecordDatabaseError` with the code `notConnected` if nothing was sent, and with the code `connectionLost`
    ///   otherwise, also while the body is read; `CancellationError`.
    func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse
}

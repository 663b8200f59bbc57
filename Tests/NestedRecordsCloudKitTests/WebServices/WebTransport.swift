#if canImport(CloudKit) && os(Linux)
import CloudKit
import Foundation
import NestedRecordsHTTP
import TestSupport

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// Passes requests to the servers of the stand-in for CloudKit.
struct WebTransport: RecordHTTPTransport {
    let cloud: StandInCloud

    /// The address of a file; nil for the calls.
    var file: URL?

    /// Changes an answer to the path of a request on its way.
    var changed: (@Sendable (StandInResponse, String) -> StandInResponse)?

    func send(_ request: RecordHTTPRequest, deadline: Duration) async throws -> RecordHTTPResponse {
        try Task.checkCancellation()
        let path = (file?.path ?? request.path) + (request.query.isEmpty ? "" : "?" + request.query)
        let body = Data(try await request.body.bytes() ?? [])
        let sent = StandInRequest(method: request.method, path: path, headers: request.headers.values, body: body)
        guard var answer = cloud.respond(to: sent) else { throw RecordDatabaseError(.connectionLost) }
        if let changed { answer = changed(answer, sent.path) }
        return RecordHTTPResponse(
            status: answer.status, headers: RecordHTTPHeaders(answer.headers.map { ($0.key, $0.value) }),
            body: RecordHTTPBody(Array(answer.body)))
    }
}

extension StandInCloud {
    static let id = "iCloud.com.example.schools"

    /// The access of a user who has signed in.
    func access(user: String = "ann") -> CloudKitAccess {
        .user(apiToken: apiToken, webAuthToken: webToken(user: user)) { _ in }
    }

    /// A database over the web services: that of a user in a new zone, or the public one with a key.
    func webDatabase(
        _ access: CloudKitAccess? = nil, options: CloudKitRecordDatabase.Options = .quick,
        changed: (@Sendable (StandInResponse, _ path: String) -> StandInResponse)? = nil
    ) throws -> CloudKitRecordDatabase {
        try CloudKitRecordDatabase(
            container: Self.id, environment: .development, access: access ?? self.access(),
            transport: WebTransport(cloud: self, changed: changed),
            files: { WebTransport(cloud: self, file: $0, changed: changed) }, options: options)
    }
}
#endif

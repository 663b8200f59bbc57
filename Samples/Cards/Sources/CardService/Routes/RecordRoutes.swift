import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecords
import NestedRecordsHTTP

/// The route of the database for clients that work offline: the calls of a `RemoteRecordDatabase`.
struct RecordRoutes {
    private let service: RecordDatabaseService

    init(_ access: Access, _ tokens: Tokens, _ limits: Limits) {
        var options = RecordDatabaseService.Options()
        options.quota.requestsPerMinute = limits.requestsPerMinute
        options.check = { batch, _ in RecordCheck.errors(in: batch) }
        service = RecordDatabaseService(options: options) { request in
            guard let user = tokens.user(ofHeader: request.headers["authorization"]) else {
                throw RecordDatabaseError(.notSignedIn)
            }
            return RecordDatabaseService.Access(reader: user, database: try access.store(of: user).database)
        }
    }

    func add(to router: Router<CardsContext>) {
        // A client of another version gets a sentence from the service.
        router.post("records/:version/:call") { request, _ in
            let answer = await service.respond(
                to: RecordHTTPRequest(
                    method: "POST", path: request.uri.path,
                    headers: RecordHTTPHeaders(request.headers.map { ($0.name.rawName, $0.value) }),
                    body: RecordHTTPBody(request.body.map(\.readableBytesView))))
            var headers = HTTPFields()
            for (name, value) in answer.headers.values { HTTPField.Name(name).map { headers[$0] = value } }
            return Response(
                status: HTTPResponse.Status(code: answer.status), headers: headers,
                body: ResponseBody(asyncSequence: answer.body.map { ByteBuffer(bytes: $0) }))
        }
    }
}

import HTTPTypes
import Hummingbird
import NestedRecords
import NestedRecordsHTTP

/// The route of the database for clients that work offline: the calls of a `RemoteRecordDatabase`.
struct RecordRoutes {
    private let service: RecordDatabaseService

    init(_ access: Access, _ tokens: Tokens, _ limits: Limits) {
        var options = RecordDatabaseService.Options()
        options.quota.requestsPerMinute = limits.requestsPerMinute
        options.maximumAssetBytes = Int64(limits.pictureBytes)
        options.check = { batch, _ in RecordCheck.errors(in: batch, limits) }
        service = RecordDatabaseService(options: options) { request in
            guard let user = tokens.user(ofHeader: request.headers["authorization"]) else {
                throw RecordDatabaseError(.notSignedIn)
            }
            return RecordDatabaseService.Access(reader: user, database: try access.store(of: user).database)
        }
    }

    func add(to router: Router<CardsContext>) {
        // The calls are `POST`; the others are for the bytes of pictures. A client of another version gets a sentence.
        for method in [HTTPRequest.Method.get, .head, .post, .put] {
            router.on("records/**", method: method) { request, _ in
                Response(await service.respond(to: RecordHTTPRequest(request)))
            }
        }
    }
}

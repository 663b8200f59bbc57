import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP
import NotesModel

// Look the tokens up where the users sign in.
let users = ["token-of-ann": "ann", "token-of-bob": "bob"]
let database = try FileRecordDatabase(path: CommandLine.arguments.dropFirst().first ?? "notes.records")
let store = RecordStore(database)
try await store.declare(Note.self, readers: { $0.owner })

let service = RecordDatabaseService { request in
    guard let token = request.headers["authorization"]?.split(separator: " ").last, let user = users[String(token)]
    else { throw RecordDatabaseError(.notSignedIn, reason: "The token is unknown.") }
    let scope = try store.scoped(for: user) { $0.rule(Note.self) { $0.owner == user } }
    return RecordDatabaseService.Access(reader: user, database: scope.database)
}

let router = Router()
for method in [HTTPRequest.Method.get, .head, .post, .put] {
    router.on("records/**", method: method) { request, _ in
        let answer = await service.respond(
            to: RecordHTTPRequest(
                method: request.method.rawValue, path: request.uri.path,
                headers: RecordHTTPHeaders(request.headers.map { ($0.name.rawName, $0.value) }),
                body: RecordHTTPBody(request.body.map(\.readableBytesView))))
        var headers = HTTPFields()
        for (name, value) in answer.headers.values { HTTPField.Name(name).map { headers[$0] = value } }
        return Response(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(asyncSequence: answer.body.map { ByteBuffer(bytes: $0) }))
    }
}
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8080))).runService()
try await database.close()

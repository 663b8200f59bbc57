public import FlyingFox
import FlyingSocks
public import NestedRecordsHTTP

extension HTTPServer {
    /// Answers the calls of a `RemoteRecordDatabase` whose address ends in `/records`.
    public func appendRecords(_ service: RecordDatabaseService) {
        appendRoute("/records/*") { request in
            let answer = await service.respond(
                to: RecordHTTPRequest(
                    method: request.method.rawValue, path: request.path,
                    headers: RecordHTTPHeaders(request.headers.map { ($0.key.rawValue, $0.value) }),
                    body: RecordHTTPBody(request.bodySequence)))
            var headers = HTTPHeaders()
            for (name, value) in answer.headers.values { headers[HTTPHeader(name)] = value }
            let (bytes, size) = (BodyBytes(body: answer.body), answer.headers["content-length"].flatMap { Int($0) })
            return HTTPResponse(
                statusCode: HTTPStatusCode(answer.status, phrase: ""), headers: headers,
                body: size.map { HTTPBodySequence(from: bytes, count: $0) } ?? HTTPBodySequence(from: bytes))
        }
    }
}

/// The bytes of a body as FlyingFox reads them.
struct BodyBytes: AsyncBufferedSequence {
    let body: RecordHTTPBody

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator()) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var pieces: RecordHTTPBody.AsyncIterator
        var rest: ArraySlice<UInt8> = []

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            while rest.isEmpty {
                guard let piece = try await pieces.next() else { return nil }
                rest = piece[...]
            }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }
}

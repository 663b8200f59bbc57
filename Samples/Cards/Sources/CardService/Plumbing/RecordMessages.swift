import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecordsHTTP

extension RecordHTTPRequest {
    /// A request as the library reads it.
    init(_ request: Request) {
        self.init(
            method: request.method.rawValue, path: request.uri.path,
            headers: RecordHTTPHeaders(request.headers.map { ($0.name.rawName, $0.value) }),
            body: RecordHTTPBody(request.body.map(\.readableBytesView)))
    }
}

extension Response {
    /// An answer of the library.
    init(_ answer: RecordHTTPResponse) {
        var headers = HTTPFields()
        for (name, value) in answer.headers.values { HTTPField.Name(name).map { headers[$0] = value } }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(asyncSequence: answer.body.map { ByteBuffer(bytes: $0) }))
    }
}

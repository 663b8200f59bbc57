import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecords

extension Response {
    /// An answer with JSON.
    init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], json: some Encodable) throws {
        let bytes = try ByteBuffer(bytes: JSON.encoder.encode(json))
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
        self.headers[.contentType] = "application/json"
    }

    /// An answer with a value, and the entity tag of all records that the value was read from.
    init<Value>(
        status: HTTPResponse.Status = .ok, _ stored: Stored<Value>, as view: (Value) -> some Encodable,
        for request: Request
    ) throws {
        let tag = "\"\(stored.entityTag)\""
        if status == .ok, request.headers[.ifNoneMatch] == tag {
            self.init(status: .notModified, headers: [.eTag: tag])
        } else {
            try self.init(status: status, headers: [.eTag: tag], json: view(stored.value))
        }
    }
}

extension Request {
    /// The tag that a change requires, without its quotes.
    func requiredTag() throws -> String {
        guard let text = headers[.ifMatch] else {
            throw Problem(.preconditionRequired, "Send the ETag of the version to change in the header If-Match.")
        }
        let bytes = text.utf8
        let quote = UInt8(ascii: "\"")
        guard bytes.count > 2, bytes.first == quote, bytes.last == quote,
            !bytes.dropFirst().dropLast().contains(quote)
        else { throw Problem(.badRequest, "The header If-Match has one strong tag in quotes.") }
        return String(text.dropFirst().dropLast())
    }
}

extension Problem {
    /// The problem of a client with another version: what it sent, and the present value with its tag.
    static func outdated<Value>(
        _ present: Stored<Value>, as view: (Value) -> some Encodable, sent: JSONBody? = nil
    ) throws -> Problem {
        var problem = Problem(.preconditionFailed, "The value has changed since the version of the tag.")
        problem.members = ["current": try JSON(of: view(present.value))]
        problem.members["sent"] = sent.map { .object($0.members) }
        problem.headers[.eTag] = "\"\(present.entityTag)\""
        return problem
    }
}

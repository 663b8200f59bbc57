import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecords

extension Response {
    /// An answer with JSON.
    init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], json: some Encodable) throws {
        self.init(status: status, headers: headers, bytes: try JSON.encoder.encode(json))
    }

    init(status: HTTPResponse.Status, headers: HTTPFields, type: String = "application/json", bytes: Data) {
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        self.headers[.contentType] = type
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
        let tag = text.dropFirst().dropLast()
        guard text == "\"\(tag)\"", !tag.isEmpty, !tag.utf8.contains(UInt8(ascii: "\"")) else {
            throw Problem(.badRequest, "The header If-Match has one strong tag in quotes.")
        }
        return String(tag)
    }
}

extension Problem {
    /// The problem of a client with another version: what it sent, and the present value with its tag.
    static func outdated<Value>(
        _ present: Stored<Value>, as view: (Value) -> some Encodable, sent: JSONBody? = nil
    ) throws -> Problem {
        var problem = Problem(.preconditionFailed, "The value has changed since the version of the tag.")
        problem.members = ["current": try JSON.encoder.encode(view(present.value))]
        problem.members["sent"] = sent?.bytes
        problem.headers[.eTag] = "\"\(present.entityTag)\""
        return problem
    }
}

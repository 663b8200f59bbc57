import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The JSON object in the body of a request.
struct JSONBody: Sendable {
    let members: [String: JSON]

    /// The nesting that a body may have.
    static let maximumDepth = 8

    init(_ request: Request, _ context: CardsContext) async throws {
        let type = request.headers[.contentType].flatMap { MediaType(from: $0) }
        guard let type, type.subType == "json" || type.subType == "merge-patch+json" else {
            throw Problem(.unsupportedMediaType, "The body is JSON: send it with 'Content-Type: application/json'.")
        }
        let bytes = try await request.body.collect(upTo: context.maxUploadSize)
        guard let json = try? JSON.decoder.decode(JSON.self, from: Data(bytes.readableBytesView)),
            case .object(let members) = json
        else { throw Problem(.badRequest, "The body is not a JSON object.") }
        guard json.isNested(atMost: Self.maximumDepth) else {
            throw Problem(.badRequest, "The body is nested more than \(Self.maximumDepth) levels deep.")
        }
        self.members = members
    }

    func applied<Fields: ClientFields>(to present: [String: JSON]) throws -> Fields {
        if let other = members.keys.filter({ !Fields.names.contains($0) }).min() {
            let names = Fields.names.sorted().joined(separator: ", ")
            throw Problem(.badRequest, "There is no member '\(other)' to set. The members are \(names).")
        }
        let merged = present.merging(members) { $1 }.filter { $1 != .null }
        do {
            let fields = try JSON.decoder.decode(Fields.self, from: JSON.encoder.encode(merged))
            try fields.check()
            return fields
        } catch let error as DecodingError {
            throw Problem(.badRequest, error.sentence)
        }
    }
}

extension JSON {
    fileprivate func isNested(atMost depth: Int) -> Bool {
        switch self {
        case .list(let list): depth > 0 && list.allSatisfy { $0.isNested(atMost: depth - 1) }
        case .object(let object): depth > 0 && object.values.allSatisfy { $0.isNested(atMost: depth - 1) }
        default: true
        }
    }
}

extension DecodingError {
    /// What is wrong with the JSON of a client.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, _): "The member '\(key.stringValue)' is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "The member '\(context.codingPath.first?.stringValue ?? "")' has a value that it cannot have."
        @unknown default: "The body cannot be read."
        }
    }
}

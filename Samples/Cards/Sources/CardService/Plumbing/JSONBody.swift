import Foundation
import HTTPTypes
import Hummingbird

/// The members of a value that a client may set.
///
/// All others are refused, so a client forges no version and no link.
protocol ClientFields: Codable, Sendable {
    /// Throws a problem for values that are not allowed.
    func check() throws
}

extension ClientFields {
    func checkText(_ text: String, _ name: String, upTo limit: Int) throws {
        guard 1...limit ~= text.utf8.count else {
            throw Problem(.badRequest, "The member '\(name)' has 1 to \(limit) bytes.")
        }
    }
}

/// The JSON object in the body of a request.
struct JSONBody: Sendable {
    let bytes: Data

    /// Reads the body.
    init(_ request: Request, _ context: CardsContext, within time: Duration) async throws {
        let type = request.headers[.contentType].flatMap { MediaType(from: $0) }
        guard let type, type.subType == "json" || type.subType == "merge-patch+json" else {
            throw Problem(.unsupportedMediaType, "The body is JSON: send it with 'Content-Type: application/json'.")
        }
        var received = Data()
        for try await part in BodyParts(body: request.body, time: time) {
            received += part
            guard received.count <= context.maxUploadSize else { throw Problem(.contentTooLarge) }
        }
        bytes = received
        guard JSON.members(bytes) != nil else { throw Problem(.badRequest, "The body is not a JSON object.") }
    }

    /// The fields after a JSON merge patch: null removes a member, and a missing member keeps it.
    ///
    /// - Parameter present: The fields before; nil for a new value.
    func fields<Fields: ClientFields>(changing present: Fields? = nil) throws -> Fields {
        var members = try present.flatMap { JSON.members(try JSON.encoder.encode($0)) } ?? [:]
        members = members.merging(JSON.members(bytes) ?? [:]) { $1 }.filter { !($1 is NSNull) }
        do {
            let fields = try JSON.decoder.decode(Fields.self, from: JSONSerialization.data(withJSONObject: members))
            let known = JSON.members(try JSON.encoder.encode(fields)) ?? [:]
            if let other = members.keys.filter({ known[$0] == nil }).min() {
                throw Problem(.badRequest, "There is no member '\(other)' to set.")
            }
            try fields.check()
            return fields
        } catch let error as DecodingError {
            throw Problem(.badRequest, error.sentence)
        }
    }
}

extension DecodingError {
    /// What is wrong with the JSON of a client.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, _): "The member '\(key.stringValue)' is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            // Foundation names no member for a number that does not fit, and for a date.
            (context.codingPath.first.map { "The member '\($0.stringValue)'" } ?? "A member")
                + " has a value that it cannot have."
        @unknown default: "The body cannot be read."
        }
    }
}

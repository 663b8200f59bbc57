import Foundation
import HTTPTypes
import Hummingbird
import NestedRecords

/// An answer that says what is wrong, as `application/problem+json`.
struct Problem: Error {
    var status: HTTPResponse.Status
    var detail: String?

    /// Further members of the answer, which are JSON objects.
    var members: [String: Data] = [:]
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ detail: String? = nil) { (self.status, self.detail) = (status, detail) }

    func response() throws -> Response {
        var body: [String: Any] = members.compactMapValues(JSON.members)
        (body["status"], body["title"], body["detail"]) = (status.code, status.reasonPhrase, detail)
        let bytes = try JSONSerialization.data(withJSONObject: body, options: [.sortedKeys, .withoutEscapingSlashes])
        return Response(status: status, headers: headers, type: "application/problem+json", bytes: bytes)
    }
}

extension Problem {
    /// The one table from errors to answers.
    init(of error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as any HTTPResponseError: self.init(error.status)
        case RecordDatabaseError.Code.changeTokenExpired:
            self.init(.gone, "The event is too old to go on from: read the deck again.")
        case RecordDatabaseError.Code.overloaded:
            self.init(.serviceUnavailable, "Too many changes wait: send the request again.")
        case RecordDatabaseError.Code.missingAsset:
            // The picture was replaced after its card was read.
            self = Problem(of: RecordError(.recordNotFound))
        case RecordDatabaseError.Code.assetTooLarge: self.init(.contentTooLarge, "The picture is too large: \(error)")
        case RecordError.Code.outsideScope: self.init(.forbidden, "Only the owner of the deck may change it.")
        case RecordError.Code.missingLinkTarget: self.init(.notFound, "The deck was deleted.")
        default:
            switch ErrorKind(of: error) {
            case .notFound: self.init(.notFound, "There is no such deck, card or picture.")
            case .alreadyExists, .conflict: self.init(.conflict, "Others have changed the data: read it again.")
            case .invalidInput: self.init(.badRequest, "\(error)")
            case .unauthenticated: self.init(.unauthorized, "Sign in first.")
            case .forbidden: self.init(.forbidden, "You may not do this.")
            case .unavailable: self.init(.serviceUnavailable, "The data cannot be reached now.")
            case .damaged, .unsupported, nil: self.init(.internalServerError)
            }
        }
        if ErrorKind(of: error) == .unavailable { headers[.retryAfter] = "1" }
    }
}

import HTTPTypes
import Hummingbird
import NestedRecords

/// An answer that says what is wrong, as `application/problem+json`.
struct Problem: Error {
    var status: HTTPResponse.Status
    var detail: String?

    /// Further members of the answer.
    var members: [String: JSON] = [:]
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ detail: String? = nil) { (self.status, self.detail) = (status, detail) }

    func response() throws -> Response {
        var body = members
        body["status"] = .integer(Int64(status.code))
        body["title"] = .string(status.reasonPhrase)
        body["detail"] = detail.map { .string($0) }
        var response = try Response(status: status, json: JSON.object(body))
        response.headers.append(contentsOf: headers)
        response.headers[.contentType] = "application/problem+json"
        return response
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
        case RecordError.Code.outsideScope: self.init(.forbidden, "Only the owner of the deck may change it.")
        case RecordError.Code.missingLinkTarget: self.init(.notFound, "The deck was deleted.")
        default:
            switch ErrorKind(of: error) {
            case .notFound: self.init(.notFound, "There is no such deck or card.")
            case .alreadyExists, .conflict: self.init(.conflict, "Others have changed the data: read it again.")
            case .invalidInput: self.init(.badRequest, "\(error)")
            case .unavailable: self.init(.serviceUnavailable, "The data cannot be reached now.")
            case .damaged, .unsupported, nil: self.init(.internalServerError)
            }
            if ErrorKind(of: error) == .unavailable { headers[.retryAfter] = "1" }
        }
    }
}

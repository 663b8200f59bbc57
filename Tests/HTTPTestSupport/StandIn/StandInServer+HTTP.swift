import Foundation
import NestedRecordsHTTP

extension StandInServer {
    /// Answers a request as it was sent: the path may be percent-encoded, and have parameters, which say how to answer.
    ///
    /// https://cloud.google.com/apis/docs/system-parameters
    func respond(to request: RecordHTTPRequest) async -> RecordHTTPResponse {
        let path = request.path.prefix { $0 != "?" }.drop { $0 == "/" }
        let (status, json) = await respond(
            path: String(path).removingPercentEncoding ?? "", body: (try? await request.body.bytes()) ?? [],
            token: request.headers["authorization"])
        return RecordHTTPResponse(status, json)
    }
}

extension RecordHTTPResponse {
    init(_ status: Int, _ json: StandInJSON) {
        self.init(
            status: status, headers: ["content-type": "application/json; charset=UTF-8"],
            body: RecordHTTPBody(json.bytes))
    }
}

extension StandInJSON {
    /// The names of enumerations, which a request may have as numbers: https://protobuf.dev/programming-guides/json/.
    ///
    /// https://firebase.google.com/docs/firestore/reference/rpc/google.firestore.v1 has the numbers.
    private static let names: [String: [String]] = [
        "compositeFilter.op": ["", "AND", "OR"],
        "fieldFilter.op": [
            "", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "EQUAL", "NOT_EQUAL",
            "ARRAY_CONTAINS", "IN", "ARRAY_CONTAINS_ANY", "NOT_IN",
        ],
        "unaryFilter.op": ["", "", "IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"],
        "orderBy.direction": ["", "ASCENDING", "DESCENDING"],
        "updateTransforms.setToServerValue": ["", "REQUEST_TIME"],
    ]

    /// The value with names in place of the numbers of enumerations.
    func named(in owner: String = "") -> StandInJSON {
        switch self {
        case .list(let elements): .list(elements.map { $0.named(in: owner) })
        case .object(let members):
            .object(
                members.map { name, value in
                    if let names = Self.names["\(owner).\(name)"], let number = value.number,
                        let position = names.indices.first(where: { Double($0) == number })
                    {
                        return (name, .text(names[position]))
                    }
                    return (name, value.named(in: name))
                })
        default: self
        }
    }
}

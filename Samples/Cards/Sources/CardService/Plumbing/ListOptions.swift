import Foundation
import HTTPTypes
import Hummingbird
import NestedRecords

/// The query string of a list: `limit`, `after`, and the filters that the list allows.
struct ListOptions<Model: RecordDecodable> {
    private var filters: [QueryFilter<Model>] = []
    private var limit = 50
    private var cursor: QueryCursor?
    private let path: String

    /// The parameters but for `after`, for the address of the next page.
    private var kept: [(name: String, text: String)] = []

    init(_ request: Request, allowing allowed: [String: (String) throws -> QueryFilter<Model>]) throws {
        path = request.uri.path
        var names: Set<String> = []
        for (key, value) in request.uri.queryParameters {
            let (name, text) = (String(key), String(value))
            guard names.insert(name).inserted else { throw Problem(.badRequest, "'\(name)' is given twice.") }
            switch name {
            case "limit":
                guard let count = Int(text), 1...200 ~= count else {
                    throw Problem(.badRequest, "'limit' is a number from 1 to 200.")
                }
                limit = count
            case "after": cursor = try QueryCursor(text: text)
            default:
                guard let filter = allowed[name] else {
                    let known = (allowed.keys + ["after", "limit"]).sorted().joined(separator: ", ")
                    throw Problem(.badRequest, "'\(name)' is not a parameter of this list. It has \(known).")
                }
                filters.append(try filter(text))
            }
            if name != "after" { kept.append((name, text)) }
        }
    }

    /// The page of a query, with the address of the next page in the body and in the header Link.
    func page<View: Encodable & Sendable>(
        of query: Query<Model>, as view: (Model) -> View
    ) async throws -> Response {
        let page = try await filters.reduce(query) { $0.filter($1) }.limit(limit).after(cursor).page()
        let next = page.next.map(address)
        let list = List(items: page.map { view($0.value) }, next: next)
        return try Response(headers: next.map { [.nextLink: "<\($0)>; rel=\"next\""] } ?? [:], json: list)
    }

    private struct List<View: Encodable>: Encodable {
        var items: [View]
        var next: String?
    }

    /// The address of the list after a cursor.
    private func address(after cursor: QueryCursor) -> String {
        // Written again, since the header has it between angle brackets, and a client may send any bytes.
        let parameters = (kept + [("after", "\(cursor)")]).map { name, text in
            "\(name)=" + (text.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "")
        }
        return path + "?" + parameters.joined(separator: "&")
    }
}

extension CharacterSet {
    /// The characters that an address has without escapes anywhere (RFC 3986, section 2.3).
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

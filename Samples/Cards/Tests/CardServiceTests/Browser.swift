import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NestedRecords

@testable import CardService

/// A client of the service with the token of one user.
struct Browser: Sendable {
    let client: any TestClientProtocol
    var user = "ann"

    /// Another user's client.
    func of(_ user: String) -> Browser { Browser(client: client, user: user) }

    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil, ifMatch tag: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        if !user.isEmpty { headers[.authorization] = "Bearer token-of-\(user)" }
        if body != nil, headers[.contentType] == nil {
            headers[.contentType] = uri.hasSuffix("/picture") ? "image/png" : "application/json"
        }
        headers[.ifMatch] = tag
        return try await client.execute(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
        ) { response in
            let text = String(buffer: response.body)
            return Answer(
                status: response.status.code, headers: response.headers, text: text,
                json: (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .null)
        }
    }

    /// Makes a deck and returns its path.
    func makeDeck(_ title: String = "Sea", members: [String] = []) async throws -> String {
        let names = members.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = try await send(.post, "/decks", #"{"title":"\#(title)","members":[\#(names)]}"#)
        return answer.headers[.location] ?? answer.text
    }

    /// Makes a card in a deck and returns its path.
    func makeCard(_ front: String = "Ebb?", in deck: String) async throws -> String {
        let body = #"{"front":"\#(front)","back":"Tide","due":"2030-01-01T00:00:00Z"}"#
        let answer = try await send(.post, "\(deck)/cards", body)
        return answer.headers[.location] ?? answer.text
    }

    /// Gives a card without a picture one and returns its path.
    @discardableResult
    func makePicture(_ bytes: String = "0123456789", of card: String) async throws -> String {
        let path = "\(card)/picture"
        try await send(.put, path, bytes, headers: [.ifNoneMatch: "*"])
        return path
    }

    /// The present tag of a deck, a card or a picture, in quotes.
    func tag(of path: String) async throws -> String { try await send(.get, path).headers[.eTag] ?? "none" }
}

/// An answer of the service.
struct Answer: Sendable {
    var status: Int
    var headers: HTTPFields
    var text: String
    var json: JSONValue
}

extension JSONValue {
    subscript(name: String) -> JSONValue? { if case .object(let object) = self { object[name] } else { nil } }

    var items: [JSONValue] { if case .list(let list)? = self["items"] { list } else { [] } }

    var text: String? { if case .string(let text) = self { text } else { nil } }
}

extension Limits {
    /// Limits that tests do not reach.
    static var generous: Limits {
        var limits = Limits()
        limits.requestsPerMinute = 10_000
        return limits
    }
}

/// A service with the users ann, bo and cy.
func makeService(
    _ database: any RecordDatabase, limits: Limits = .generous, logger: Logger? = nil
) throws -> CardService {
    var silent = Logger(label: "cards")
    silent.logLevel = .critical
    return try CardService(
        database, users: ["token-of-ann": "ann", "token-of-bo": "bo", "token-of-cy": "cy"],
        limits: limits, logger: logger ?? silent)
}

/// Runs a service with the users ann, bo and cy.
func withService(
    _ database: any RecordDatabase = InMemoryRecordDatabase(), limits: Limits = .generous,
    setup: TestingSetup = .router, logger: Logger? = nil,
    _ test: @Sendable (Browser) async throws -> Void
) async throws {
    let service = try makeService(database, limits: limits, logger: logger)
    try await service.application(port: 0).test(setup) { try await test(Browser(client: $0)) }
}

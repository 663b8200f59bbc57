import CardModel
import Foundation
import HTTPTypes
import Logging
import NestedRecords
import Testing

@testable import CardService

@Suite struct AccessTests {
    /// Every route of a deck: the method, the path after that of the deck, the body, and whether it reads.
    static let routes: [(method: HTTPRequest.Method, path: String, body: String?, isReading: Bool)] = [
        (.get, "", nil, true),
        (.patch, "", #"{"title":"Mine"}"#, false),
        (.delete, "", nil, false),
        (.get, "/cards", nil, true),
        (.post, "/cards", #"{"front":"a","back":"b"}"#, false),
        (.get, "/cards/CARD", nil, true),
        (.patch, "/cards/CARD", #"{"level":3}"#, false),
        (.delete, "/cards/CARD", nil, false),
        (.get, "/cards/CARD/picture", nil, true),
        (.put, "/cards/CARD/picture", "9876543210", false),
        (.delete, "/cards/CARD/picture", nil, false),
        (.get, "/export", nil, true),
    ]

    @Test(arguments: routes.indices)
    func everyRouteHidesTheDeckFromStrangers(_ index: Int) async throws {
        let route = Self.routes[index]
        try await withService { ann in
            let (path, tag) = try await Self.path(of: index, ann, members: ["bo"])
            let answer = try await ann.of("cy").send(route.method, path, route.body, ifMatch: tag)
            #expect(answer.status == 404)
            #expect(!answer.text.contains("Sea"))
        }
    }

    @Test(arguments: routes.indices)
    func everyRouteLetsMembersReadAndNotWrite(_ index: Int) async throws {
        let route = Self.routes[index]
        try await withService { ann in
            let (path, tag) = try await Self.path(of: index, ann, members: ["bo"])
            let answer = try await ann.of("bo").send(route.method, path, route.body, ifMatch: tag)
            #expect(answer.status == (route.isReading ? 200 : 403))
            // The owner succeeds with the same request.
            let own = try await ann.send(route.method, path, route.body, ifMatch: tag)
            #expect(200..<300 ~= own.status)
        }
    }

    @Test(arguments: routes.indices)
    func everyRouteNeedsAToken(_ index: Int) async throws {
        let route = Self.routes[index]
        try await withService { ann in
            let (path, tag) = try await Self.path(of: index, ann, members: [])
            let answer = try await ann.of("").send(route.method, path, route.body, ifMatch: tag)
            #expect(answer.status == 401)
            #expect(answer.headers[.wwwAuthenticate] == "Bearer")
            #expect(try await ann.of("eve").send(route.method, path, route.body, ifMatch: tag).status == 401)
        }
    }

    @Test(arguments: [("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript")])
    func thePageNeedsNoTokenAndHasAPolicy(_ path: String, _ type: String) async throws {
        try await withService { ann in
            let answer = try await ann.of("").send(.get, path)
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "\(type); charset=utf-8")
            #expect(answer.headers[.contentSecurityPolicy]?.contains("default-src 'none'; script-src 'self'") == true)
        }
    }

    @Test func aTokenSaysItsUser() async throws {
        try await withService { ann in
            let answer = try await ann.send(.get, "/user")
            #expect(answer.text == #"{"id":"ann","name":"ann"}"#)
            #expect(try await ann.of("eve").send(.get, "/user").status == 401)
        }
    }

    @Test func listsHaveOwnAndSharedDecksAlone() async throws {
        try await withService { ann in
            _ = try await ann.makeDeck("Shared", members: ["bo"])
            _ = try await ann.makeDeck("Private")
            _ = try await ann.of("bo").makeDeck("Own")
            let titles = try await ann.of("bo").send(.get, "/decks").json.items.map { $0["title"]?.text }
            #expect(titles == ["Own", "Shared"])
            let own = try await ann.of("bo").send(.get, "/decks?owner=bo").json.items.map { $0["title"]?.text }
            #expect(own == ["Own"])
        }
    }

    @Test func aCardIsNotReachedThroughAnotherDeck() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let id = card.split(separator: "/").last ?? ""
            let other = try await ann.makeDeck("Other")
            #expect(try await ann.send(.get, "\(other)/cards/\(id)").status == 404)
            #expect(try await ann.send(.get, "\(other)/cards").json.items.isEmpty)
            // Neither does the owner of another deck reach it through that deck.
            let bos = try await ann.of("bo").makeDeck("Own")
            let tag = try await ann.tag(of: card)
            let path = "\(bos)/cards/\(id)"
            #expect(try await ann.of("bo").send(.patch, path, #"{"level":1}"#, ifMatch: tag).status == 404)
            #expect(try await ann.of("bo").send(.delete, path, ifMatch: tag).status == 404)
            #expect(try await ann.send(.get, card).status == 200)
        }
    }

    @Test(arguments: ["owner", "id", "version", "deck", "$type"])
    func clientsCannotSetOtherMembers(_ name: String) async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck()
            let new = try await ann.send(.post, "/decks", #"{"title":"Sea","\#(name)":"bo"}"#)
            #expect(new.status == 400)
            #expect(new.json["detail"]?.text?.contains("'\(name)'") == true)
            let tag = try await ann.tag(of: deck)
            #expect(try await ann.send(.patch, deck, #"{"\#(name)":"bo"}"#, ifMatch: tag).status == 400)
            let card = #"{"front":"a","back":"b","\#(name)":"Deck/x"}"#
            #expect(try await ann.send(.post, "\(deck)/cards", card).status == 400)
        }
    }

    @Test func answersHaveNoMetadata() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = try await ann.send(.get, ann.makeCard(in: deck)).json
            guard case .object(let members) = card else { return #expect(Bool(false)) }
            #expect(members.keys.sorted() == ["back", "due", "front", "id", "level"])
        }
    }

    @Test func aCardNeedsItsDeckWhenItIsSaved() async throws {
        let access = Access(InMemoryRecordDatabase(), Logger(label: "cards"))
        try await access.addUsers(["ann"])
        let user = try await access.store(of: "ann").fetch(User.self, named: "ann").value
        try await access.store(of: "ann").insert(Deck(id: "d", title: "Sea", owner: user, members: []))
        let (deck, store) = try await access.deck("d", of: "ann")
        // Another request is faster.
        try await access.store(of: "ann").delete(Deck.self, named: "d")
        let card = Card(id: "c", deck: try RecordLink(to: deck.value), front: "a", back: "b", level: 0)
        await #expect(throws: RecordError.self) { try await store.insert(card) }
        #expect(try await store.query(Card.self).count() == 0)
    }

    @Test func unknownUsersCannotBeMembers() async throws {
        try await withService { ann in
            let answer = try await ann.send(.post, "/decks", #"{"title":"Sea","members":["eve"]}"#)
            #expect(answer.status == 400)
            #expect(answer.json["detail"] == .string("There is no user 'eve'."))
        }
    }

    private static func path(
        of index: Int, _ ann: Browser, members: [String]
    ) async throws -> (path: String, tag: String) {
        let deck = try await ann.makeDeck(members: members)
        let card = try await ann.makeCard(in: deck)
        let parts = routes[index].path.components(separatedBy: "/cards/CARD")
        let path = parts.count == 2 ? card + parts[1] : deck + parts[0]
        if path.hasSuffix("/picture") { try await ann.makePicture(of: card) }
        return (path, try await ann.tag(of: parts.count == 2 ? path : deck))
    }
}

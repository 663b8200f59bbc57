import HTTPTypes
import Testing

@testable import CardService

@Suite struct ListTests {
    @Test func pagesFollowEachOther() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck()
            for number in 0..<5 { _ = try await ann.makeCard("\(number)", in: deck) }
            var found: [String] = []
            var address: String? = "\(deck)/cards?limit=2&level=0"
            while let present = address {
                let answer = try await ann.send(.get, present)
                found += answer.json.items.compactMap { $0["front"]?.text }
                address = answer.json["next"]?.text
                #expect(answer.headers[.nextLink] == address.map { "<\($0)>; rel=\"next\"" })
            }
            #expect(found.sorted() == ["0", "1", "2", "3", "4"])
        }
    }

    @Test func filtersSelect() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck()
            _ = try await ann.makeCard("Ebb?", in: deck)
            try await ann.send(.post, "\(deck)/cards", #"{"front":"Crab?","back":"Pincers","level":4}"#)
            for (query, fronts) in [
                ("level=4", ["Crab?"]), ("text=PINCER", ["Crab?"]), ("text=e%62b", ["Ebb?"]),
                ("dueBefore=2031-01-01T00:00:00Z", ["Ebb?"]), ("dueBefore=2030-01-01T00:00:00Z", []),
                ("level=0&text=crab", []),
            ] {
                let items = try await ann.send(.get, "\(deck)/cards?\(query)").json.items
                #expect(items.compactMap { $0["front"]?.text } == fronts, "\(query)")
            }
        }
    }

    @Test(arguments: [
        "deck=x", "owner=ann", "level=x", "dueBefore=soon", "limit=0", "limit=1000", "after=x", "level=1&level=2",
    ])
    func otherQueriesAreRefused(_ query: String) async throws {
        try await withService { ann in
            let answer = try await ann.send(.get, "\(ann.makeDeck())/cards?\(query)")
            #expect(answer.status == 400)
            #expect(answer.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func theCursorOfAnotherListIsRefused() async throws {
        try await withService { ann in
            let (deck, other) = (try await ann.makeDeck(), try await ann.makeDeck())
            for number in 0..<3 { _ = try await ann.makeCard("\(number)", in: deck) }
            let next = try await ann.send(.get, "\(deck)/cards?limit=1").json["next"]?.text ?? ""
            let cursor = next.split(separator: "after=").last ?? ""
            #expect(try await ann.send(.get, "\(other)/cards?after=\(cursor)").status == 400)
        }
    }

    @Test func anExportHasTheDeckAndAllCards() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck()
            for number in 0..<250 { _ = try await ann.makeCard("\(number)", in: deck) }
            let answer = try await ann.send(.get, "\(deck)/export")
            let lines = answer.text.split(separator: "\n")
            #expect(lines.count == 251)
            #expect(lines.first?.contains("Sea") == true)
            #expect(answer.headers[.contentType] == "application/x-ndjson")
        }
    }
}

import CardModel
import HTTPTypes
import NestedRecords
import Testing

@testable import CardService

@Suite struct ChangeTests {
    @Test func changesRequireATag() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck()
            let card = try await ann.makeCard(in: deck)
            for path in [deck, card] {
                #expect(try await ann.send(.patch, path, #"{}"#).status == 428)
                #expect(try await ann.send(.delete, path).status == 428)
                for tag in ["*", "W/\"a\"", "a", "\"\"", "\"a\", \"b\""] {
                    #expect(try await ann.send(.delete, path, ifMatch: tag).status == 400, "\(tag)")
                }
            }
        }
    }

    @Test func aWrongTagAnswersBothSides() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let old = try await ann.tag(of: card)
            let changed = try await ann.send(.patch, card, #"{"level":2}"#, ifMatch: old)
            let answer = try await ann.send(.patch, card, #"{"level":3}"#, ifMatch: old)
            #expect(answer.status == 412)
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer.json["sent"] == .object(["level": .integer(3)]))
            #expect(answer.json["current"] == changed.json)
            #expect(answer.headers[.eTag] == changed.headers[.eTag])
            #expect(try await ann.send(.delete, card, ifMatch: old).json["current"] == changed.json)
            #expect(try await ann.send(.delete, card, ifMatch: changed.headers[.eTag]).status == 204)
        }
    }

    @Test func theTagOfADeckCoversItsUsers() async throws {
        let database = InMemoryRecordDatabase()
        try await withService(database) { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            let old = try await ann.tag(of: deck)
            try await RecordStore(database).update(User.self, named: "bo") { $0.name = "Robert" }
            let answer = try await ann.send(.patch, deck, #"{"title":"Lake"}"#, ifMatch: old)
            #expect(answer.status == 412)
            #expect(answer.text.contains("Robert"))
        }
    }

    @Test func aPatchWithNullRemovesAndAMissingMemberKeeps() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let kept = try await ann.send(.patch, card, #"{"level":2}"#, ifMatch: ann.tag(of: card)).json
            #expect(kept["due"] == .string("2030-01-01T00:00:00Z"))
            #expect(kept["front"] == .string("Ebb?"))
            let removed = try await ann.send(.patch, card, #"{"due":null}"#, ifMatch: ann.tag(of: card)).json
            #expect(removed["due"] == nil)
            #expect(removed["level"] == .integer(2))
            let refused = try await ann.send(.patch, card, #"{"front":null}"#, ifMatch: ann.tag(of: card))
            #expect(refused.status == 400)
            #expect(refused.json["detail"] == .string("The member 'front' is missing."))
        }
    }

    @Test(arguments: [
        #"{"level":"2"}"#, #"{"level":1.5}"#, #"{"level":11}"#, #"{"due":"soon"}"#, #"{"back":""}"#, "[]",
    ])
    func valuesOfAnotherKindAreRefused(_ patch: String) async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let answer = try await ann.send(.patch, card, patch, ifMatch: ann.tag(of: card))
            #expect(answer.status == 400)
            #expect(answer.json["detail"]?.text?.isEmpty == false)
        }
    }

    @Test func anUnchangedValueIsNotSentAgain() async throws {
        try await withService { ann in
            let deck = try await ann.makeDeck()
            let headers: HTTPFields = [.ifNoneMatch: try await ann.tag(of: deck)]
            let answer = try await ann.send(.get, deck, headers: headers)
            #expect(answer.status == 304)
            #expect(answer.text.isEmpty)
        }
    }

    @Test func oneOfTwoSimultaneousChangesWins() async throws {
        try await withService { ann in
            let card = try await ann.makeCard(in: ann.makeDeck())
            let tag = try await ann.tag(of: card)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for level in 1...8 {
                    group.addTask { try await ann.send(.patch, card, #"{"level":\#(level)}"#, ifMatch: tag).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 7))
        }
    }

    @Test func aDeckIsDeletedWithItsCards() async throws {
        let database = InMemoryRecordDatabase()
        try await withService(database) { ann in
            let deck = try await ann.makeDeck()
            for number in 0..<3 { _ = try await ann.makeCard("\(number)", in: deck) }
            _ = try await ann.makeCard(in: ann.makeDeck("Other"))
            let plan = try await ann.send(.delete, "\(deck)?plan", ifMatch: ann.tag(of: deck))
            #expect(plan.status == 200)
            guard case .list(let cards)? = plan.json["cards"] else { return #expect(Bool(false)) }
            #expect(cards.count == 3)
            #expect(try await ann.send(.get, "\(deck)/cards").json.items.count == 3)
            #expect(try await ann.send(.delete, deck, ifMatch: ann.tag(of: deck)).status == 204)
            #expect(try await ann.send(.get, deck).status == 404)
            #expect(try await RecordStore(database).query(Card.self).count() == 1)
        }
    }

    @Test func noCardOfADeletedDeckRemains() async throws {
        let database = InMemoryRecordDatabase()
        try await withService(database) { ann in
            for _ in 0..<20 {
                let deck = try await ann.makeDeck()
                let tag = try await ann.tag(of: deck)
                try await withThrowingTaskGroup(of: Int.self) { group in
                    let body = #"{"front":"a","back":"b"}"#
                    for _ in 0..<8 { group.addTask { try await ann.send(.post, "\(deck)/cards", body).status } }
                    group.addTask { try await ann.send(.delete, deck, ifMatch: tag).status }
                    for try await status in group { #expect([201, 204, 404].contains(status)) }
                }
                #expect(try await ann.send(.get, deck).status == 404)
            }
        }
        #expect(try await RecordStore(database).query(Card.self).count() == 0)
    }
}

import CardModel
import HTTPTypes

/// What a client sends of a deck: the members by their names.
struct DeckFields: ClientFields {
    var title: String
    var members: [String]?

    func check() throws {
        try checkText(title, "title", upTo: 200)
        if members?.count ?? 0 > 100 { throw Problem(.badRequest, "A deck has at most 100 members.") }
    }
}

extension DeckFields {
    init(_ deck: Deck) { self.init(title: deck.title, members: deck.members.map(\.id)) }
}

/// What a client gets of a deck.
struct DeckView: Encodable, Sendable {
    struct Person: Encodable, Sendable {
        var id: String
        var name: String

        init(_ user: User) { (id, name) = (user.id, user.name) }
    }

    var id: String
    var title: String
    var owner: Person
    var members: [Person]

    init(_ deck: Deck) {
        (id, title, owner) = (deck.id, deck.title, Person(deck.owner))
        members = deck.members.map(Person.init)
    }
}

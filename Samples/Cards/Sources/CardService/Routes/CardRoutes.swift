import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NestedRecords

/// The routes of the cards of a deck.
struct CardRoutes {
    let access: Access
    let limits: Limits

    func add(to group: RouterGroup<CardsContext>) {
        group.get(":deck/cards", use: list).post(":deck/cards", use: create)
        group.get(":deck/cards/:card", use: show).patch(":deck/cards/:card", use: change)
        group.delete(":deck/cards/:card", use: delete)
        addPictures(to: group)
    }

    private func list(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (deck, store) = try await deck(context)
        let options = try ListOptions<Card>(
            request,
            allowing: [
                "level": { text in
                    guard let level = Int(text) else { throw Problem(.badRequest, "'level' is a number.") }
                    return QueryFilter { $0.level == level }
                },
                "dueBefore": { text in
                    guard let date = try? Date(text, strategy: .iso8601) else {
                        throw Problem(.badRequest, "'dueBefore' is a time such as 2030-01-31T12:00:00Z.")
                    }
                    return QueryFilter { $0.due < date }
                },
                "text": { text in
                    QueryFilter {
                        $0.front.containsText(text, ignoring: [.case, .accents])
                            || $0.back.containsText(text, ignoring: [.case, .accents])
                    }
                },
            ])
        return try await options.page(of: store.cards(of: deck).sorted { $0.due }, as: CardView.init)
    }

    private func create(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (deck, store) = try await deck(context)
        let fields: CardFields = try await JSONBody(request, context, within: limits.bodyTime).fields()
        var card = Card(id: UUID().uuidString, deck: try RecordLink(to: deck.value), front: "", back: "", level: 0)
        fields.apply(to: &card)
        let stored = try await changing(context) { try await store.insert(card) }
        var response = try Response(status: .created, stored, as: CardView.init, for: request)
        response.headers[.location] = "/decks/\(deck.id)/cards/\(stored.id)"
        return response
    }

    private func show(_ request: Request, _ context: CardsContext) async throws -> Response {
        let card = try await self.card(in: access.store(of: context.user), context)
        return try Response(card, as: CardView.init, for: request)
    }

    private func change(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (store, tag) = (try access.store(of: context.user), try request.requiredTag())
        let id = try await self.card(in: store, context).id
        let patch = try await JSONBody(request, context, within: limits.bodyTime)
        do {
            let card = try await changing(context) {
                try await store.update(Card.self, named: id, ifMatch: tag) { card in
                    try patch.fields(changing: CardFields(card)).apply(to: &card)
                }
            }
            return try Response(card, as: CardView.init, for: request)
        } catch RecordDatabaseError.Code.versionMismatch {
            throw try Problem.outdated(await self.card(in: store, context), as: CardView.init, sent: patch)
        }
    }

    private func delete(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (store, tag) = (try access.store(of: context.user), try request.requiredTag())
        let card = try await self.card(in: store, context)
        guard card.entityTag == tag else { throw try Problem.outdated(card, as: CardView.init) }
        do {
            // Nothing refers to a card, so no references need be looked for.
            _ = try await changing(context) { try await store.delete(card, .dangling) }
            return Response(status: .noContent)
        } catch RecordDatabaseError.Code.versionMismatch {
            throw try Problem.outdated(await self.card(in: store, context), as: CardView.init)
        }
    }

    func deck(_ context: CardsContext) async throws -> (deck: Stored<Deck>, store: RecordStore) {
        try await access.deck(context.parameters.require("deck"), of: context.user)
    }

    /// The card of the path; a card of another deck is not found.
    func card(in store: RecordStore, _ context: CardsContext) async throws -> Stored<Card> {
        let card = try await store.fetch(Card.self, named: context.parameters.require("card"))
        guard try card.deck.id.name == context.parameters.require("deck") else {
            throw RecordError(.recordNotFound, recordID: card.recordID)
        }
        return card
    }

    /// Runs a change; if it is refused since the deck was deleted at the same time, the deck is not found.
    func changing<Result>(
        _ context: CardsContext, _ change: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await change()
        } catch let error as RecordError where error.code == .outsideScope {
            _ = try await deck(context)
            throw error
        }
    }
}

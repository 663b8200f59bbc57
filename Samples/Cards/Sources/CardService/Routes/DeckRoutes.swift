import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NestedRecords

/// The routes of decks.
struct DeckRoutes {
    let access: Access
    let bodyTime: Duration

    func add(to group: RouterGroup<CardsContext>) {
        group.get("", use: list).post("", use: create)
        group.get(":deck", use: show).patch(":deck", use: change).delete(":deck", use: delete)
    }

    private func list(_ request: Request, _ context: CardsContext) async throws -> Response {
        let options = try ListOptions<Deck>(
            request,
            allowing: [
                "title": { text in QueryFilter { $0.title.containsText(text, ignoring: [.case, .accents]) } },
                "owner": { name in QueryFilter { $0.owner == User(id: name, name: "") } },
            ])
        let decks = try access.store(of: context.user).query(Deck.self).sorted { $0.title }
        return try await options.page(of: decks, as: DeckView.init)
    }

    private func create(_ request: Request, _ context: CardsContext) async throws -> Response {
        let fields: DeckFields = try await JSONBody(request, context, within: bodyTime).fields()
        let store = try access.store(of: context.user)
        let deck = Deck(
            id: UUID().uuidString, title: fields.title,
            owner: try await store.fetch(User.self, named: context.user).value,
            members: try await users(fields, in: store))
        let stored = try await store.insert(deck)
        var response = try Response(status: .created, stored, as: DeckView.init, for: request)
        response.headers[.location] = "/decks/\(stored.id)"
        return response
    }

    private func show(_ request: Request, _ context: CardsContext) async throws -> Response {
        let deck = try await access.store(of: context.user).fetch(Deck.self, named: context.parameters.require("deck"))
        return try Response(deck, as: DeckView.init, for: request)
    }

    private func change(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (id, tag) = (try context.parameters.require("deck"), try request.requiredTag())
        let (present, store) = try await access.deck(id, of: context.user)
        let patch = try await JSONBody(request, context, within: bodyTime)
        guard present.entityTag == tag else { throw try Problem.outdated(present, as: DeckView.init, sent: patch) }
        let fields = try patch.fields(changing: DeckFields(present.value))
        let members = try await users(fields, in: store)
        do {
            let deck = try await store.update(Deck.self, named: id, ifMatch: tag) {
                $0.title = fields.title
                $0.share(with: members)
            }
            return try Response(deck, as: DeckView.init, for: request)
        } catch RecordDatabaseError.Code.versionMismatch {
            throw try Problem.outdated(await store.fetch(Deck.self, named: id), as: DeckView.init, sent: patch)
        }
    }

    /// Deletes a deck with its cards; with `?plan` only says what would be deleted.
    private func delete(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (id, tag) = (try context.parameters.require("deck"), try request.requiredTag())
        let (deck, store) = try await access.deck(id, of: context.user)
        guard deck.entityTag == tag else { throw try Problem.outdated(deck, as: DeckView.init) }
        if request.uri.queryParameters["plan"] != nil {
            let plan = try await store.plan(deleting: Deck.self, named: id, .cascading)
            return try Response(json: DeletionView(plan))
        }
        do {
            try await access.delete(id, ifMatch: tag, of: context.user)
            return Response(status: .noContent)
        } catch RecordDatabaseError.Code.versionMismatch {
            throw try Problem.outdated(await store.fetch(Deck.self, named: id), as: DeckView.init)
        }
    }

    /// The users with the names of the members.
    private func users(_ fields: DeckFields, in store: RecordStore) async throws -> [User] {
        var seen: Set<String> = []
        let names = (fields.members ?? []).filter { seen.insert($0).inserted }
        do {
            return try await store.fetch(User.self, named: names).map(\.value)
        } catch let error as RecordError where error.code == .recordNotFound {
            throw Problem(.badRequest, "There is no user '\(error.recordID?.name ?? "")'.")
        }
    }
}

/// What the deletion of a deck deletes.
struct DeletionView: Encodable {
    var decks: [String]
    var cards: [String]

    init(_ plan: DeletionPlan) {
        decks = plan.ids.filter { $0.type == "Deck" }.map(\.name)
        cards = plan.ids.filter { $0.type == "Card" }.map(\.name)
    }
}

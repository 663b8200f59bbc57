import Logging
import NestedRecords

/// The store as a user may see and change it; every route gets its store here.
struct Access: Sendable {
    private let store: RecordStore
    private let logger: Logger

    /// - Parameters:
    ///   - database: The database with the records of all users.
    ///   - logger: Gets a warning for each deck that is not deleted after its request.
    init(_ database: any RecordDatabase, _ logger: Logger) {
        self.logger = logger
        var coding = RecordCoding()
        // A card of a deck that was deleted at the same time is refused.
        coding.requiresLinkTargets = true
        store = RecordStore(database, coding: coding)
    }

    /// The decks that a user may read: the own ones, and those of which the user is a member.
    ///
    /// Only own ones may be changed.
    func decks(of user: String) throws -> RecordStore { try store.scoped { addDecks(of: user, to: &$0) } }

    /// The deck with a name and a store with its cards; an error if the user may not read the deck.
    ///
    /// The rules of a scope are about the properties of a record itself, and a card has none of the users of its deck.
    /// So the deck is read first, and the scope has the cards of this deck alone.
    func deck(_ id: String, of user: String) async throws -> (deck: Stored<Deck>, store: RecordStore) {
        let deck = try await decks(of: user).fetch(Deck.self, named: id)
        let link = try RecordLink(to: deck.value)
        let scope = try store.scoped {
            addDecks(of: user, to: &$0)
            $0.rule(Card.self) { $0.deck == link }
            if deck.value.owner.id != user { $0.share(Card.self) }
        }
        return (deck, scope)
    }

    /// Deletes a deck with its cards, if the user owns it and it has the version of the tag.
    ///
    /// The deck is marked first. A card needs a deck that its user can read, so none is added from then on.
    func delete(_ id: String, ifMatch tag: String, of user: String) async throws {
        let marking = try store.scoped { addUsers(of: user, to: &$0) }
        try await marking.update(Deck.self, named: id, ifMatch: tag) { $0.isDeleted = true }
        await deleteMarked(id)
    }

    /// Deletes a deck that no request sees.
    ///
    /// If that fails, it is done at the next start.
    private func deleteMarked(_ id: String) async {
        do {
            try await store.delete(Deck.self, named: id, .cascading)
        } catch {
            logger.warning("a marked deck is not deleted", metadata: ["deck": "\(id)", "error": "\(error)"])
        }
    }

    /// Deletes the decks that are marked, because the process ended, or the database failed, before they were deleted.
    func finishDeletions() async throws {
        for deck in try await store.query(Deck.self).filter({ $0.isDeleted == true }).all() {
            await deleteMarked(deck.id)
        }
    }

    private func addDecks(of user: String, to scope: inout ScopedRecordDatabase) {
        addUsers(of: user, to: &scope)
        scope.rule(Deck.self) { $0.isDeleted == nil }
    }

    private func addUsers(of user: String, to scope: inout ScopedRecordDatabase) {
        // A reference is compared by its ID, so the other properties do not matter.
        let user = User(id: user, name: "")
        scope.rule(Deck.self, reading: { $0.owner == user || $0.members.contains(user) }, writing: { $0.owner == user })
        scope.share(User.self)
    }

    /// Stores the users that are not stored yet.
    func addUsers(_ names: some Sequence<String>) async throws {
        for name in names where try await store.fetchIfPresent(User.self, named: name) == nil {
            try await store.insert(User(id: name, name: name))
        }
    }

    /// Throws an error if the database does not answer.
    func check() async throws { _ = try await store.query(User.self).exists() }
}

import CardModel
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

    /// Declares who sees a deck and its cards, so that each user has a feed of their own, and finishes what was interrupted.
    func prepare(users names: some Sequence<String>) async throws {
        try await store.declare(Deck.self, readers: { $0.readers })
        try await store.declare(Card.self, container: { $0.deck })
        try await finishDeletions()
        try await addUsers(names)
    }

    /// The decks that a user may read, and their cards: the own ones, and those of which the user is a member.
    ///
    /// Only own ones may be changed.
    func store(of user: String) throws -> RecordStore {
        // A reference is compared by its ID, so the other properties do not matter.
        let owner = User(id: user, name: "")
        return try store.scoped(for: user) {
            $0.rule(Deck.self, reading: { $0.readers.contains(user) }, writing: { $0.owner == owner })
            $0.rule(Card.self, reading: { $0.deck.readers.contains(user) }, writing: { $0.deck.owner == owner })
            $0.share(User.self)
        }
    }

    /// The deck with a name and the store of the user; an error if the user may not read the deck.
    func deck(_ id: String, of user: String) async throws -> (deck: Stored<Deck>, store: RecordStore) {
        let store = try store(of: user)
        return (try await store.fetch(Deck.self, named: id), store)
    }

    /// Throws an error if no stream of events can go on from a token.
    func check(_ token: ChangeToken) async throws { _ = try await store.database.feed?.changes(since: token, limit: 1) }

    /// Deletes a deck with its cards, if the user owns it and it has the version of the tag.
    ///
    /// The deck is marked first, and then has no readers: only here its owner still sees it. A card needs a deck that its user
    /// can read, so none is added from then on.
    func delete(_ id: String, ifMatch tag: String, of user: String) async throws {
        let owner = User(id: user, name: "")
        let marking = try store.scoped {
            $0.rule(
                Deck.self, reading: { $0.readers.contains(user) || $0.owner == owner },
                writing: { $0.owner == owner })
            $0.share(User.self)
        }
        try await marking.update(Deck.self, named: id, ifMatch: tag) { $0.markAsDeleted() }
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
    private func finishDeletions() async throws {
        for deck in try await store.query(Deck.self).filter({ $0.isDeleted == true }).all() {
            await deleteMarked(deck.id)
        }
    }

    /// Removes the bytes that no card has, a day after they were added: a request adds them before it saves the card.
    func collectPictures(olderThan age: Duration = .seconds(86_400)) async {
        do {
            try await store.assets.collect(olderThan: age)
        } catch is CancellationError {
        } catch {
            logger.warning("the pictures of no card are not removed", metadata: ["error": "\(error)"])
        }
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

extension RecordStore {
    /// The cards of a deck.
    func cards(of deck: Stored<Deck>) throws -> Query<Card> {
        let link = try RecordLink(to: deck.value)
        return query(Card.self).filter { $0.deck == link }
    }
}

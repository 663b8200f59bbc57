import CardModel
import Foundation
import NestedRecords

extension CardService {
    /// Stores a deck with many cards, for measurements, unless it exists: `/decks/load/cards/0` and so on.
    public func fill(_ count: Int, owner: String) async throws {
        try await access.addUsers([owner])
        let decks = try access.store(of: owner)
        if try await decks.fetchIfPresent(Deck.self, named: "load") != nil { return }
        let user = try await decks.fetch(User.self, named: owner).value
        try await decks.insert(Deck(id: "load", title: "Load", owner: user, members: []))
        let (deck, store) = try await access.deck("load", of: owner)
        let link = try RecordLink(to: deck.value)
        for start in stride(from: 0, to: count, by: 1_000) {
            try await store.insert(
                (start..<min(start + 1_000, count)).map { number in
                    Card(
                        id: "\(number)", deck: link, front: "Front \(number)", back: "Back \(number)",
                        // The order of the due dates is not that of the names.
                        due: Date(timeIntervalSince1970: 1_900_000_000 + Double(number * 7_919 % 1_000_003)),
                        level: number % 10)
                })
        }
    }
}

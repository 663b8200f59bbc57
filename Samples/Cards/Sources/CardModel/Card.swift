package import Foundation
package import NestedRecords

/// A question and its answer, which belong to a deck and are deleted with it.
///
/// The deck is a link: the value of a card is its own record alone, and so is its entity tag.
package struct Card: RecordCodable, Identifiable, Sendable {
    @RecordName package var id: String
    package var deck: RecordLink<Deck>
    package var front: String
    package var back: String
    package var due: Date?
    package var level: Int

    /// The name of a picture, whose bytes are beside the records.
    package var picture: RecordAsset?

    package static let schema = RecordSchema(cascading: ["deck"], indexes: [["deck", "due"], ["deck", "level"]])

    package init(id: String, deck: RecordLink<Deck>, front: String, back: String, due: Date? = nil, level: Int) {
        (self.id, self.deck, self.front, self.back) = (id, deck, front, back)
        (self.due, self.level) = (due, level)
    }
}

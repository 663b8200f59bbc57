import CardModel
import HTTPTypes
import NestedRecords

/// Checks the records that a client of the database sends, as the routes check their fields: a scope says who may write, and
/// not what.
enum RecordCheck {
    /// The properties of a deck in its own record.
    private struct DeckHead: RecordDecodable {
        static let recordType = "Deck"

        var title: String
        var owner: RecordLink<User>
        var members: [RecordLink<User>]
        var isDeleted: Bool?
        var readers: [String]
    }

    /// The errors of the records that may not be saved.
    ///
    /// - Parameters:
    ///   - batch: The records.
    ///   - limits: The limits of the service.
    static func errors(in batch: RecordBatch, _ limits: Limits) -> [Record.ID: any Error] {
        var errors: [Record.ID: any Error] = [:]
        for record in batch.saves {
            do {
                switch record.id.type {
                case "Deck": try check(RecordDecoder().decode(DeckHead.self, from: RecordGraph([record])))
                case "Card": try check(RecordDecoder().decode(Card.self, from: RecordGraph([record])), limits)
                default: break
                }
            } catch let problem as Problem {
                errors[record.id] = RecordDatabaseError(.notPermitted, reason: problem.detail ?? "")
            } catch {
                errors[record.id] = error
            }
        }
        return errors
    }

    private static func check(_ card: Card, _ limits: Limits) throws {
        try CardFields(card).check()
        guard let picture = card.picture else { return }
        guard picture.pictureType != nil, 1...Int64(limits.pictureBytes) ~= picture.size else {
            throw Problem(.badRequest, "A picture has a type of a picture, and at most \(limits.pictureBytes) bytes.")
        }
    }

    private static func check(_ deck: DeckHead) throws {
        try DeckFields(title: deck.title, members: deck.members.map(\.id.name)).check()
        guard deck.isDeleted == nil, deck.readers == ([deck.owner] + deck.members).map(\.id.name) else {
            throw Problem(.badRequest, "The readers of a deck are its owner and its members.")
        }
    }
}

import CardModel
import Foundation
import HTTPTypes
import NestedRecords

/// What a client sends of a card.
struct CardFields: ClientFields {
    var front: String
    var back: String
    var due: Date?
    var level: Int?

    func check() throws {
        try checkText(front, "front", upTo: 5_000)
        try checkText(back, "back", upTo: 5_000)
        guard 0...10 ~= level ?? 0 else { throw Problem(.badRequest, "The member 'level' is a number from 0 to 10.") }
    }
}

extension CardFields {
    init(_ card: Card) { self.init(front: card.front, back: card.back, due: card.due, level: card.level) }

    /// Sets the properties of a card that a client may set.
    func apply(to card: inout Card) { (card.front, card.back, card.due, card.level) = (front, back, due, level ?? 0) }
}

/// What a client gets of a card.
struct CardView: Encodable, Sendable {
    var id: String
    var front: String
    var back: String
    var due: Date?
    var level: Int
    var picture: PictureView?

    init(_ card: Card) {
        (id, front, back, due, level) = (card.id, card.front, card.back, card.due, card.level)
        picture = card.picture.map(PictureView.init)
    }
}

/// What a client gets of a picture: its entity tag, and what it is.
struct PictureView: Encodable, Sendable {
    var hash: String
    var size: Int64
    var type: String?

    init(_ picture: RecordAsset) { (hash, size, type) = (picture.hash, picture.size, picture.contentType) }
}

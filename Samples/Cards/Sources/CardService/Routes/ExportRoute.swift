import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecords

/// The route that sends a deck and all its cards, one JSON object a line.
///
/// It reads the cards page by page.
struct ExportRoute {
    let access: Access

    func add(to group: RouterGroup<CardsContext>) { group.get(":deck/export", use: export) }

    private func export(_ request: Request, _ context: CardsContext) async throws -> Response {
        let (deck, store) = try await access.deck(context.parameters.require("deck"), of: context.user)
        let cards = try store.cards(of: deck)
        let first = try line(DeckView(deck.value))
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                try await writer.write(first)
                for try await card in cards.sorted(by: { $0.due }).values() {
                    try await writer.write(line(CardView(card.value)))
                }
                try await writer.finish(nil)
            })
    }

    private func line(_ value: some Encodable) throws -> ByteBuffer {
        var buffer = try ByteBuffer(bytes: JSON.encoder.encode(value))
        buffer.writeString("\n")
        return buffer
    }
}

import AsyncAlgorithms
import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NestedRecords
import ServiceLifecycle

/// The route that sends a deck and its cards, now and after each change, as server-sent events.
///
/// - `deck` has the deck. It has no ID: each connection gets the present deck.
/// - `cards` has all cards. Its ID is the change token of its moment, with which a client that comes back goes on.
/// - `unreadable` says that a record cannot be read; the stream goes on with the next change.
/// - `gone` ends the stream: the deck was deleted, or the user may no longer read it.
struct EventRoute {
    let access: Access
    let streams: OpenStreams
    let limits: Limits

    func add(to group: RouterGroup<CardsContext>) { group.get(":deck/events", use: events) }

    private func events(_ request: Request, _ context: CardsContext) async throws -> Response {
        let user = try context.user
        let (deck, store) = try await access.deck(context.parameters.require("deck"), of: user)
        let place = try streams.place(for: user)
        let token = try await lastToken(of: request)
        let decks = store.live(Deck.self, named: deck.id).map { snapshot in
            switch snapshot.result {
            case .success(let deck?): return try ServerSentEvent.value("deck", DeckView(deck.value))
            case .success(nil): return try ServerSentEvent.value("gone", [String: String]()).last
            case .failure: return try ServerSentEvent.value("unreadable", [String: String]())
            }
        }
        let cards = try store.cards(of: deck).sorted { $0.due }.live(since: token).map { snapshot in
            let id = "\(snapshot.token)"
            guard let cards = try? snapshot.value else {
                return try ServerSentEvent.value("unreadable", id: id, [String: String]())
            }
            return try ServerSentEvent.value("cards", id: id, cards.map { CardView($0.value) })
        }
        // Without them, a stream without changes would not notice that its client is gone.
        let beats = AsyncTimerSequence(interval: limits.heartbeat, clock: .continuous).map { _ in
            ServerSentEvent.heartbeat
        }
        let events = merge(decks, cards, beats).cancelOnGracefulShutdown()
        // The connection is closed at the end of the stream, so the client must not use it again.
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close"],
            body: ResponseBody { writer in
                // The stream has its place to the end.
                defer { withExtendedLifetime(place) {} }
                // A client that closes the connection cancels the loop.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for try await event in events {
                        try await closing(context.channel, after: limits.writeTime) {
                            try await writer.write(event.bytes)
                        }
                        if event.isLast { break }
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// Closes the connection if the client does not take the bytes in time, so that the write ends and the service can.
    private func closing(
        _ channel: any Channel, after time: Duration, write: () async throws -> Void
    ) async throws {
        let limit = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
        defer { limit.cancel() }
        try await write()
    }

    /// The token of the last event that the client has; an error before the answer begins if it cannot be used.
    private func lastToken(of request: Request) async throws -> ChangeToken? {
        guard let text = request.headers[.lastEventID] else { return nil }
        guard let token = ChangeToken(text) else {
            throw Problem(.badRequest, "The header Last-Event-ID has no ID of an event.")
        }
        try await access.check(token)
        return token
    }
}

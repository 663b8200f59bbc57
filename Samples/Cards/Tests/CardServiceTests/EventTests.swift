import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import NestedRecords
import Synchronization
import Testing

@testable import CardService

@Suite(.timeLimit(.minutes(1))) struct EventTests {
    @Test func eachChangeIsAnEvent() async throws {
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            var events = try await ann.of("bo").events(of: deck)
            #expect(try await Set([events.next()?.name, events.next()?.name]) == ["deck", "cards"])
            _ = try await ann.makeCard("Ebb?", in: deck)
            #expect(try await events.next()?.data.contains("Ebb?") == true)
            try await ann.send(.patch, deck, #"{"title":"Lake"}"#, ifMatch: ann.tag(of: deck))
            let title = try await events.next()
            #expect(title?.name == "deck")
            #expect(title?.id == nil)
            #expect(title?.data.contains("Lake") == true)
        }
    }

    @Test func aClientThatComesBackMissesNothing() async throws {
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck()
            let card = try await ann.makeCard("Ebb?", in: deck)
            let last = try await ann.events(of: deck).first("cards")
            // No client listens.
            try await ann.send(.delete, card, ifMatch: ann.tag(of: card))
            _ = try await ann.makeCard("Crab?", in: deck)
            let missed = try await ann.events(of: deck, after: last?.id).first("cards")
            #expect(missed?.data.contains("Crab?") == true)
            #expect(missed?.data.contains("Ebb?") == false)
            // Nothing is sent again: the next event is that of the next change.
            var again = try await ann.events(of: deck, after: missed?.id)
            #expect(try await again.next()?.name == "deck")
            try await Task.sleep(for: .milliseconds(50))
            _ = try await ann.makeCard("Flow?", in: deck)
            #expect(try await again.next()?.data.contains("Flow?") == true)
        }
    }

    @Test func theStreamEndsWhenTheUserMayNoLongerRead() async throws {
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            var events = try await ann.of("bo").events(of: deck)
            #expect(try await Set([events.next()?.name, events.next()?.name]) == ["deck", "cards"])
            try await ann.send(.patch, deck, #"{"members":null}"#, ifMatch: ann.tag(of: deck))
            #expect(try await events.next()?.name == "gone")
            #expect(try await events.next() == nil)
            await #expect(throws: EventFailure(status: 404)) { _ = try await ann.of("bo").events(of: deck) }
        }
    }

    @Test func theStreamEndsWhenTheDeckIsDeleted() async throws {
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck()
            _ = try await ann.makeCard(in: deck)
            var events = try await ann.events(of: deck)
            try await ann.send(.delete, deck, ifMatch: ann.tag(of: deck))
            var names: [String] = []
            while let event = try await events.next() { names.append(event.name) }
            #expect(names.last == "gone")
        }
    }

    @Test func aClientThatIsGoneEndsItsStream() async throws {
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck()
            let reading = Task {
                var events = try await ann.events(of: deck)
                while try await events.next() != nil {}
            }
            try await ann.waitForStreams(1)
            reading.cancel()
            try await ann.waitForStreams(0)
        }
    }

    @Test func eachUserHasALimitOfStreams() async throws {
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            var open: [EventReader] = []
            for _ in 0..<Limits().streams { open.append(try await ann.events(of: deck)) }
            try await ann.waitForStreams(Int64(Limits().streams))
            await #expect(throws: EventFailure(status: 429)) { _ = try await ann.events(of: deck) }
            _ = try await ann.of("bo").events(of: deck)
            #expect(try await open.removeLast().first("cards") != nil)
        }
    }

    @Test func shutdownEndsAllStreams() async throws {
        let reading = Mutex<Task<[String], any Error>?>(nil)
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck()
            let task = Task {
                var (events, names) = (try await ann.events(of: deck), [String]())
                while let event = try await events.next() { names.append(event.name) }
                return names
            }
            reading.withLock { $0 = task }
            try await ann.waitForStreams(1)
            try await Task.sleep(for: .milliseconds(50))
        }
        let names = try await reading.withLock { $0 }?.value ?? []
        #expect(Set(names) == ["deck", "cards"])
    }

    @Test func unusableTokensAreProblems() async throws {
        let other = try await InMemoryRecordDatabase().changeToken()
        try await withService(setup: .live) { ann in
            let deck = try await ann.makeDeck()
            await #expect(throws: EventFailure(status: 400)) { _ = try await ann.events(of: deck, after: "x") }
            await #expect(throws: EventFailure(status: 410)) {
                _ = try await ann.events(of: deck, after: "\(other)")
            }
            await #expect(throws: EventFailure(status: 404)) { _ = try await ann.of("cy").events(of: deck) }
            await #expect(throws: EventFailure(status: 401)) { _ = try await ann.of("").events(of: deck) }
        }
    }
}

/// An answer without events.
struct EventFailure: Error, Equatable {
    var status: UInt
}

/// Reads the events of a stream one by one.
struct EventReader {
    struct Event: Equatable {
        var name = ""
        var id: String?
        var data = ""
    }

    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private var buffer = ""

    init(_ body: HTTPClientResponse.Body) { chunks = body.makeAsyncIterator() }

    mutating func next() async throws -> Event? {
        while true {
            if let end = buffer.range(of: "\n\n") {
                var event = Event()
                for line in buffer[..<end.lowerBound].split(separator: "\n") {
                    let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
                    switch parts.first {
                    case "event": event.name = parts[1]
                    case "id": event.id = parts[1]
                    case "data": event.data = parts[1]
                    default: break
                    }
                }
                buffer.removeSubrange(..<end.upperBound)
                if event.name.isEmpty { continue }
                return event
            }
            guard let chunk = try await chunks.next() else { return nil }
            buffer += String(buffer: chunk)
        }
    }

    /// The next event with a name.
    consuming func first(_ name: String) async throws -> Event? {
        while let event = try await next() { if event.name == name { return event } }
        return nil
    }
}

extension Browser {
    func events(of deck: String, after id: String? = nil) async throws -> EventReader {
        var request = HTTPClientRequest(url: "http://localhost:\(client.port ?? 0)\(deck)/events")
        request.headers.add(name: "Authorization", value: "Bearer token-of-\(user)")
        if let id { request.headers.add(name: "Last-Event-ID", value: id) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        guard response.status == .ok else { throw EventFailure(status: response.status.code) }
        return EventReader(response.body)
    }

    /// Waits until the service has a number of open streams.
    func waitForStreams(_ count: Int64) async throws {
        while try await send(.get, "/health").json["eventStreams"] != .integer(count) {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

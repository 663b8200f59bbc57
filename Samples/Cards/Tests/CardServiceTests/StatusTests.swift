import Foundation
import HTTPTypes
import NestedRecords
import Testing

@testable import CardService

/// What the table of errors answers: a client's mistake is never a status of the server, and damage is never one of a client.
@Suite(.timeLimit(.minutes(1))) struct StatusTests {
    @Test(arguments: [
        (RecordDatabaseError(.notConnected), 503), (RecordDatabaseError(.overloaded), 503),
        (RecordDatabaseError(.changeTokenExpired), 410), (RecordDatabaseError(.conflict), 409),
        (RecordDatabaseError(.valueTaken), 409), (RecordDatabaseError(.stillReferenced), 409),
        (RecordDatabaseError(.missingAsset), 404), (RecordDatabaseError(.assetTooLarge), 413),
        (RecordDatabaseError(.corrupt), 500), (RecordDatabaseError(.unsupportedVersion), 500),
    ])
    func errorsOfTheDatabaseHaveTheirStatus(_ error: RecordDatabaseError, _ status: Int) {
        #expect(Problem(of: error).status.code == status)
    }

    @Test(arguments: [
        (RecordError(.recordNotFound), 404), (RecordError(.outsideScope), 403), (RecordError(.missingLinkTarget), 404),
        (RecordError(.foreignCursor), 400), (RecordError(.invalidID), 400), (RecordError(.danglingReference), 500),
        (RecordError(.newerVersion), 500),
    ])
    func errorsOfRecordsHaveTheirStatus(_ error: RecordError, _ status: Int) {
        #expect(Problem(of: error).status.code == status)
    }

    @Test func malformedInputIsA400() async throws {
        let error = #expect(throws: DecodingError.self) {
            try JSON.decoder.decode(CardFields.self, from: Data("{".utf8))
        }
        #expect(try Problem(of: #require(error)).status == .badRequest)
        try await withService { ann in
            let deck = try await ann.makeDeck()
            #expect(try await ann.send(.post, "\(deck)/cards", #"{"front":"#).status == 400)
            #expect(try await ann.send(.post, "\(deck)/cards", #"{"front":1,"back":"b"}"#).status == 400)
            #expect(try await ann.send(.get, "\(deck)/cards?limit=0").status == 400)
            #expect(try await ann.send(.get, "\(deck)/cards?after=x").status == 400)
        }
    }

    @Test(arguments: [["level": "high"], ["front": 1], [:]] as [Record.Fields])
    func damagedStoredCardIsA500(_ fields: Record.Fields) async throws {
        let base = InMemoryRecordDatabase()
        try await withService(base) { ann in
            let deck = try await ann.makeDeck()
            let path = try await ann.makeCard(in: deck)
            let name = String(path.split(separator: "/").last ?? "")
            var card = try #require(try await base.records(for: [Record.ID(type: "Card", name: name)]).first)
            let owner = try #require(card.fields["deck"])
            if fields.isEmpty { card.fields = ["deck": owner] }
            for (name, value) in fields { card.fields[name] = value }
            try await base.commit(RecordBatch(saving: [card]))
            #expect(try await ann.send(.get, path).status == 500)
            #expect(try await ann.send(.patch, path, #"{"back":"b"}"#, ifMatch: "\"x\"").status != 400)
            #expect(try await ann.send(.get, "\(deck)/cards").status == 500)
        }
    }

    @Test func addressOfTheNextPageHasOnlyKnownParametersWithEscapes() async throws {
        try await withService { ann in
            for _ in 0..<3 { _ = try await ann.makeDeck(#"a>; rel=\"x\", <b"#) }
            let answer = try await ann.send(.get, #"/decks?limit=1&title=a%3E;%20rel=%22x%22,%20%3Cb"#)
            let link = try #require(answer.headers[.nextLink])
            let address = link.dropFirst().prefix { $0 != ">" }
            #expect(address.hasPrefix("/decks?"))
            #expect(address.contains("title=a%3E%3B%20rel%3D%22x%22%2C%20%3Cb&after="))
            let next = try await ann.send(.get, String(address))
            #expect(next.status == 200 && next.json.items.count == 1)
        }
    }

    @Test func readinessHasALimitOfTime() async throws {
        var limits = Limits.generous
        limits.readyTime = .milliseconds(100)
        try await withService(SilentDatabase(), limits: limits) { ann in
            let start = ContinuousClock.now
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await ann.send(.get, "/ready").status } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(statuses == [503])
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }
}

/// A database that answers queries of users after a long time, and to no cancellation.
private struct SilentDatabase: ForwardingRecordDatabase {
    let base: any RecordDatabase = InMemoryRecordDatabase()

    func page(_ query: RecordQuery) async throws -> RecordPage {
        if query.recordType == "User" { await Task.detached { try? await Task.sleep(for: .seconds(20)) }.value }
        return try await base.page(query)
    }

    func count(_ query: RecordQuery) async throws -> Int {
        if query.recordType == "User" { await Task.detached { try? await Task.sleep(for: .seconds(20)) }.value }
        return try await base.count(query)
    }
}

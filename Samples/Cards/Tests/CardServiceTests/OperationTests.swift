import CardModel
import HTTPTypes
import InMemoryLogging
import Logging
import Metrics
import NestedRecords
import Synchronization
import Testing

@testable import CardService

@Suite(.timeLimit(.minutes(1))) struct OperationTests {
    @Test func metricsHaveTheCallsAndTheRequests() async throws {
        try await withMetricsFactory(TextMetrics()) {
            try await withService { ann in
                _ = try await ann.send(.get, ann.makeDeck())
                let text = try await ann.of("").send(.get, "/metrics").text
                let lines = text.split(separator: "\n")
                // Two declarations, three users, and the deck.
                #expect(lines.contains(#"records_call_duration_seconds_count{call="commit",outcome="ok"} 6.0"#))
                #expect(lines.contains(#"records_call_records_total{call="commit"} 6.0"#))
                // The request for the metrics is still open.
                #expect(lines.contains(#"http_server_active_requests{http_request_method="GET"} 1.0"#))
                #expect(lines.contains("records_queue_waiting 0.0"))
                #expect(text.contains(#"http_route="/decks/{deck}",http_request_method="GET""#))
            }
        }
    }

    @Test func aFullQueueIsA503() async throws {
        let database = ChangedDatabase { batch, base in
            try await Task.sleep(for: .milliseconds(20))
            return try await base.commit(batch)
        }
        var limits = Limits.generous
        (limits.runningCommits, limits.waitingCommits) = (1, 1)
        try await withService(database, limits: limits) { ann in
            let deck = try await ann.makeDeck()
            let body = #"{"front":"a","back":"b"}"#
            var (stored, refused) = (0, 0)
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await ann.send(.post, "\(deck)/cards", body) } }
                for try await answer in group {
                    if answer.status == 201 { stored += 1 }
                    if answer.status == 503, answer.headers[.retryAfter] == "1" { refused += 1 }
                }
            }
            #expect(refused > 0)
            #expect(stored + refused == 8)
            // Exactly the others are stored.
            #expect(try await ann.send(.get, "\(deck)/cards").json.items.count == stored)
        }
    }

    @Test func aCacheSavesFetchesAndHidesNoChange() async throws {
        let fetches = Mutex(0)
        let database = MonitoredRecordDatabase(InMemoryRecordDatabase()) { call in
            if call.function == "fetch" { fetches.withLock { $0 += 1 } }
        }
        var limits = Limits.generous
        limits.cachedRecords = 100
        try await withService(database, limits: limits) { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            // The cache begins when it follows the feed.
            var (before, after) = (0, 1)
            while before < after {
                before = fetches.withLock { $0 }
                #expect(try await ann.of("bo").send(.get, deck).status == 200)
                after = fetches.withLock { $0 }
            }
            try await ann.send(.patch, deck, #"{"members":null}"#, ifMatch: ann.tag(of: deck))
            #expect(try await ann.of("bo").send(.get, deck).status == 404)
        }
    }

    @Test func callsAreLoggedWithTheirRequest() async throws {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "cards") { _ in log }
        logger.logLevel = .debug
        try await withService(logger: logger) { ann in
            let deck = try await ann.makeDeck()
            let id = deck.split(separator: "/").last ?? ""
            try await ann.send(.get, deck)
            let lines = log.entries.filter { "\($0.message)" == "database" }
            let calls = lines.filter { $0.metadata["user"] == "ann" && $0.metadata["hb.request.id"] != nil }
            #expect(Set(calls.compactMap { $0.metadata["call"].map { "\($0)" } }).isSuperset(of: ["fetch", "commit"]))
            // The values of the users are in no line of a call.
            #expect(!lines.contains { "\($0.metadata)".contains(id) })
        }
    }

    @Test func anInterruptedDeletionEndsAtTheNextStart() async throws {
        let base = InMemoryRecordDatabase()
        let database = ChangedDatabase(base: base) { batch, base in
            if !batch.deletions.isEmpty { throw RecordDatabaseError(.notConnected) }
            return try await base.commit(batch)
        }
        try await withService(database) { ann in
            let deck = try await ann.makeDeck(members: ["bo"])
            let card = try await ann.makeCard(in: deck)
            #expect(try await ann.send(.delete, deck, ifMatch: ann.tag(of: deck)).status == 204)
            // The deck does not exist for requests.
            #expect(try await ann.send(.get, deck).status == 404)
            #expect(try await ann.of("bo").send(.get, card).status == 404)
            #expect(try await ann.send(.post, "\(deck)/cards", #"{"front":"a","back":"b"}"#).status == 404)
            #expect(try await ann.send(.get, "/decks").json.items.isEmpty)
        }
        #expect(try await RecordStore(base).query(Card.self).count() == 1)
        try await withService(base) { _ in }
        #expect(try await RecordStore(base).query(Card.self).count() == 0)
        #expect(try await RecordStore(base).query(Deck.self).count() == 0)
    }
}

/// A database with a commit of the test.
private struct ChangedDatabase: ForwardingRecordDatabase {
    typealias Commit = @Sendable (RecordBatch, any RecordDatabase) async throws -> [Record.ID: Record.Metadata]

    var base: any RecordDatabase = InMemoryRecordDatabase()
    let commit: Commit

    init(base: any RecordDatabase = InMemoryRecordDatabase(), commit: @escaping Commit) {
        (self.base, self.commit) = (base, commit)
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await commit(batch, base) }
}

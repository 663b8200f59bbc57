import HTTPTestSupport
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP
import NestedRecordsViews
import Observation
import TestSupport
import Testing

/// The app of the article, over the memory database, over a record file, and over a server with each of them.
@MainActor @Suite struct CardScreenTests {
    /// - Parameter isObject: Whether the database is an object; with a structure another query has other rows.
    private static func use(_ store: RecordStore, isObject: Bool = true) async throws {
        let screen = CardListScreen(store)
        try await shown { !screen.cards.isLoading }
        #expect(screen.cards.rows.isEmpty && screen.score == "0 of 0")

        for (id, front, back) in [("1", "sea", "mer"), ("2", "sun", "soleil"), ("3", "moon", "lune")] {
            screen.add(id: id)
            let form = try #require(screen.form)
            (form.value.front, form.value.back) = (front, back)
            #expect(form.isNew && form.isDirty)
            await screen.done()
            #expect(screen.form == nil)
        }
        try await shown { screen.cards.rows.map(\.front) == ["moon", "sea", "sun"] }

        let score = Invalidations { _ = screen.score }
        let sea = screen.cards.rows[1]
        await screen.answer(sea, isRight: true)
        await screen.answer(sea, isRight: true)
        await screen.answer(screen.cards.rows[2], isRight: false)
        #expect(screen.score == "2 of 3")
        #expect(await score.settled() > 0)
        await sea.undo()
        #expect(screen.score == "1 of 2")

        screen.edit(sea)
        screen.form?.value.back = "la mer"
        try await store.update(Card.self, named: "1") { $0.back = "mer (f.)" }  // another device
        try await shown { screen.form?.newer != nil }
        #expect(sea.back == "mer (f.)" && screen.form?.value.back == "la mer")
        await screen.done()
        #expect(screen.form?.conflicts.map(\.field.name) == ["back"])
        screen.form?.conflicts[0].choice = .mine
        await screen.done()
        #expect(screen.form == nil)
        #expect(try await store.fetch(Card.self, named: "1").back == "la mer")

        screen.search("s")
        #expect(screen.cards.rows.count == 3)
        try await shown { !screen.cards.isLoading }
        #expect(screen.cards.rows.map(\.front) == ["sea", "sun"])
        #expect((screen.cards.rows[0] === sea) == isObject)
        #expect(await screen.cards.delete(at: [1]).value)
        try await shown { screen.cards.rows.map(\.front) == ["sea"] }
        screen.search("")
        try await shown { screen.cards.rows.map(\.front) == ["moon", "sea"] }
    }

    @Test func cardsAreKeptInMemory() async throws { try await Self.use(RecordStore(InMemoryRecordDatabase())) }

    @Test func cardsAreKeptOnAServer() async throws {
        try await Self.use(Self.client(of: InMemoryRecordDatabase()), isObject: false)
    }

    @Test func cardsAreKeptOnAServerWithAFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("cards.records")
        let file = try FileRecordDatabase(path: path)
        try await Self.use(Self.client(of: file), isObject: false)
        // Another device shows the same cards.
        let screen = CardListScreen(Self.client(of: file))
        try await shown { screen.cards.rows.map(\.back) == ["lune", "la mer"] }
        #expect(screen.score == "1 of 1")
        try await file.close()
    }

    private static func client(of database: some RecordDatabase) -> RecordStore {
        var options = RecordDatabaseService.Options.unhurried
        options.quota.requestsPerMinute = .max
        // After an error a screen waits for its user.
        var expected = RemoteRecordDatabase.Options()
        expected.deadline = .seconds(3_600)
        let service = RecordDatabaseService(of: database, options: options)
        return RecordStore(RemoteRecordDatabase(JoinedTransport(service), options: expected))
    }

    @Test func cardsAreKeptInAFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("cards.records")
        let file = try FileRecordDatabase(path: path)
        try await Self.use(RecordStore(file))
        try await file.close()
        let again = try FileRecordDatabase(path: path)
        let screen = CardListScreen(RecordStore(again))
        try await shown { screen.cards.rows.map(\.back) == ["lune", "la mer"] }
        #expect(screen.score == "1 of 1")
        try await again.close()
        // The loop ends with the database; the rows stay.
        try await shown { screen.cards.error != nil }
        #expect(screen.cards.rows.count == 2)
    }
}

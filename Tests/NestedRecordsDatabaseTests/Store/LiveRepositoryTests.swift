import NestedRecords
import TestSupport
import Testing

@Suite struct LiveRepositoryTests {
    private struct Tag: RecordCodable, Identifiable, Equatable {
        var id: String
        var title = ""
        static let recordType = "LiveRepositoryTag"
    }

    private struct Note: RecordCodable, Identifiable, Equatable {
        var id: Int
        var owner: String
        var text: String
        var tags: [Tag] = []
        static let recordType = "LiveRepositoryNote"
    }

    private let database = InMemoryRecordDatabase()
    private var all: RecordRepository<Note> { RecordRepository(in: database.values) }
    private var anns: RecordRepository<Note> { all.scoped(to: \.owner, "ann") }

    /// Moves a note, as another program would that knows no scopes.
    private func move(_ id: Int, to owner: String) async throws {
        try await database.set("owner", of: "LiveRepositoryNote/\(id)", to: .string(owner))
    }

    @Test func valuesOutsideTheScopeAreNotSeen() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a"))
        try await all.insert(Note(id: 2, owner: "bo", text: "b"))
        var pages = anns.query.sorted { $0.text }.live().makeAsyncIterator()
        #expect(try await pages.next()?.map(\.id) == [1])
        // Changes outside are no news: the next page is that of the change after them.
        try await all.update(2) { $0.text = "0" }
        try await all.insert(Note(id: 3, owner: "bo", text: "1"))
        try await all.delete(3)
        try await anns.update(1) { $0.text = "A" }
        #expect(try await pages.next()?.map(\.text) == ["A"])
    }

    @Test func valuesThatComeIntoTheScopeOrLeaveItAreSeen() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a"))
        try await all.insert(Note(id: 2, owner: "bo", text: "b"))
        var pages = anns.query.live().makeAsyncIterator()
        #expect(try await pages.next()?.map(\.id) == [1])
        try await move(2, to: "ann")
        #expect(try await pages.next()?.map(\.id) == [1, 2])
        try await move(1, to: "bo")
        #expect(try await pages.next()?.map(\.id) == [2])
        try await move(2, to: "bo")
        #expect(try await pages.next()?.map(\.id) == [])
    }

    @Test func everyPageIsOfTheScopeWhileNotesMove() async throws {
        for id in 0..<10 { try await all.insert(Note(id: id, owner: "ann", text: "")) }
        let writer = Task {
            for round in 0..<200 {
                try await move(round % 10, to: round.isMultiple(of: 3) ? "ann" : "bo")
                await Task.yield()
            }
            try await anns.insert(Note(id: 10, owner: "", text: "last"))
        }
        for try await notes in anns.query.live() {
            #expect(notes.allSatisfy { $0.owner == "ann" })
            if notes.contains(where: { $0.text == "last" }) { break }
        }
        try await writer.value
    }

    @Test func nestedRecordsOfAScopedValueCount() async throws {
        try await all.insert(Note(id: 1, owner: "ann", text: "a", tags: [Tag(id: "x")]))
        var pages = anns.query.live().makeAsyncIterator()
        var notes = anns.live(1).makeAsyncIterator()
        _ = (try await pages.next(), try await notes.next())
        try await database.values.overwrite(Tag(id: "x", title: "new"))
        #expect(try await pages.next()?.first?.tags.first?.title == "new")
        #expect(try await notes.next()??.tags.first?.title == "new")
    }

    @Test func valueIsNilWhileItIsOutsideTheScope() async throws {
        let waiting = WaitedDatabase(database)
        let seen = Locked<[String?]>([])
        let reader = Task {
            let repository = RecordRepository(of: Note.self, in: waiting.values).scoped(to: \.owner, "ann")
            for try await note in repository.live(1) {
                seen.withLock { $0.append(note?.text) }
                if note?.text == "end" { break }
            }
        }
        await waiting.untilWaiting(times: 1)
        // Neither that it is there now, nor what becomes of it, is seen.
        try await all.insert(Note(id: 1, owner: "bo", text: "a"))
        await waiting.untilWaiting(times: 2)
        try await all.update(1) { $0.text = "b" }
        await waiting.untilWaiting(times: 3)
        try await move(1, to: "ann")
        await waiting.untilWaiting(times: 4)
        try await move(1, to: "bo")
        await waiting.untilWaiting(times: 5)
        try await all.delete(1)
        await waiting.untilWaiting(times: 6)
        try await anns.insert(Note(id: 1, owner: "", text: "end"))
        try await reader.value
        #expect(seen.withLock { $0 } == [nil, "b", nil, "end"])
    }

    @Test func valueOutsideTheScopeIsNotDecoded() async throws {
        try await all.insert(Note(id: 1, owner: "bo", text: "a"))
        try await database.set("text", of: "LiveRepositoryNote/1", to: 5)
        var notes = anns.live(1).makeAsyncIterator()
        #expect(try await notes.next().map { $0 == nil } == true)
        try await move(1, to: "ann")
        await #expect(throws: DecodingError.self) { _ = try await notes.next() }
    }

    @Test func everythingIsSeenWithoutAScope() async throws {
        var notes = all.live(1).makeAsyncIterator()
        #expect(try await notes.next().map { $0 == nil } == true)
        try await all.insert(Note(id: 1, owner: "bo", text: "a"))
        #expect(try await notes.next()??.text == "a")
    }
}

/// A database that counts how often a reader begins to wait.
private final class WaitedDatabase: ForwardingDatabase {
    let base: InMemoryRecordDatabase
    private let count = Locked(0)

    init(_ base: InMemoryRecordDatabase) { self.base = base }

    /// Returns once so many waits have begun: the reader has done all that it had to do.
    func untilWaiting(times: Int) async {
        while count.withLock({ $0 < times }) { await Task.yield() }
    }

    func waitForChanges(after token: ChangeToken) async throws {
        count.withLock { $0 += 1 }
        try await base.waitForChanges(after: token)
    }
}

import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ScopedRecordDatabaseTests {
    private struct Note: RecordCodable, Identifiable {
        var id: Int
        var owner: String?
        var team = ""
        var isPublic = false
        var author: Author?
        var initial: String { String(team.prefix(1)) }
        static let recordType = "ScopedNote"
    }

    private struct Author: RecordCodable, Identifiable {
        var id: String
        var name: String
        static let recordType = "ScopedAuthor"
    }

    private let store = RecordStore(InMemoryRecordDatabase())

    @Test func missingPropertyOfANewValueIsFilledIn() async throws {
        let anns = try store.scoped { $0.rule(Note.self) { $0.owner == "ann" } }
        #expect(try await anns.insert(Note(id: 1)).owner == "ann")
        #expect(
            try await anns.insert([Note(id: 2, owner: ""), Note(id: 3, owner: "ann")]).map(\.owner) == ["ann", "ann"])
        #expect(try await anns.overwrite(Note(id: 1)).owner == "ann")
        #expect(try await anns.transaction { try await $0.insert(Note(id: 4)).owner } == "ann")
        let error = await #expect(throws: RecordError.self) { try await anns.insert(Note(id: 5, owner: "bo")) }
        #expect(error.map { "\($0)" } == "the record ScopedNote/5 is outside the scope: it may not be written")
        let teams = try store.scoped { $0.rule(Note.self) { $0.team == "red" } }
        #expect(try await teams.insert(Note(id: 6)).team == "red")
    }

    @Test func severalConditionsFillNothingIn() async throws {
        for declare: (inout ScopedRecordDatabase) -> Void in [
            {
                $0.rule(Note.self) {
                    $0.owner == "ann"; $0.team == "red"
                }
            },
            { $0.rule(Note.self) { $0.owner == "ann" || $0.isPublic } },
            { $0.rule(Note.self) { !($0.owner == "ann") } }, { $0.rule(Note.self) { $0.owner != nil } },
            { $0.rule(Note.self) { $0.field("owner", as: String?.self) == "ann" } },
        ] {
            let scoped = try store.scoped(declare)
            _ = try? await scoped.insert(Note(id: 1))
            #expect(try await store.fetchIfPresent(Note.self, named: 1)?.owner == nil)
            try await store.delete(Note.self, named: 1)
        }
    }

    @Test func ruleOfAllTypesHoldsForEveryType() async throws {
        try await store.insert([Note(id: 1, owner: "ann", team: "red"), Note(id: 2, owner: "bo", team: "red")])
        try await store.insert([Note(id: 3, owner: "ann", team: "blue")])
        try await store.insert(Author(id: "a", name: "Ada"))
        let red = try store.scoped { $0.ruleOfAllTypes(.compare("team", .equal, "red")) }
        #expect(try await red.query(Note.self).all().map(\.id) == [1, 2])
        #expect(try await red.fetchIfPresent(Note.self, named: 3) == nil)
        // A record without the field is outside.
        #expect(try await red.query(Author.self).count() == 0)
        #expect(try await red.database.records(ofType: nil).reduce(into: 0) { count, _ in count += 1 } == 2)
        for insert in [
            { _ = try await red.insert(Author(id: "b", name: "Bo")) },
            { _ = try await red.insert(Note(id: 4, team: "blue")) },
            { _ = try await red.update(Note.self, named: 1) { $0.team = "blue" } },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: RecordError.self) { try await insert() }
            #expect(error?.code == .outsideScope)
        }
        let anns = try store.scoped {
            $0.ruleOfAllTypes(.compare("team", .equal, "red"))
            $0.rule(Note.self) { $0.owner == "ann" }
        }
        #expect(try await anns.query(Note.self).all().map(\.id) == [1])
        let error = #expect(throws: RecordError.self) { try store.scoped { $0.ruleOfAllTypes(.all([])) } }
        #expect(error?.code == .invalidRule)
    }

    @Test func severalRulesOfATypeMustAllHold() async throws {
        try await store.insert([
            Note(id: 1, owner: "ann", team: "red"), Note(id: 2, owner: "ann", team: "blue"), Note(id: 3, team: "red"),
        ])
        let anns = try store.scoped { $0.rule(Note.self) { $0.owner == "ann" } }
        let red = try anns.scoped { $0.rule(Note.self) { $0.team == "red" } }
        let both = try store.scoped {
            $0.rule(Note.self) { $0.owner == "ann" }
            $0.rule(Note.self) { $0.team == "red" }
        }
        #expect(try await red.query(Note.self).all().map(\.id) == [1])
        #expect(try await both.query(Note.self).all().map(\.id) == [1])
        await #expect(throws: RecordError.self) { try await both.overwrite(Note(id: 4, owner: "ann", team: "blue")) }
    }

    @Test func readingAndWritingHaveRulesOfTheirOwn() async throws {
        try await store.insert([
            Note(id: 1, owner: "bo", isPublic: true), Note(id: 2, owner: "bo"), Note(id: 3, owner: "ann"),
        ])
        let scoped = try store.scoped {
            $0.rule(
                Note.self, reading: { $0.owner == "ann" || $0.isPublic },
                writing: { $0.owner == "ann" })
        }
        #expect(try await scoped.insert(Note(id: 4)).owner == "ann")
        try await scoped.delete(Note.self, named: 4)
        #expect(try await scoped.query(Note.self).all().map(\.id) == [1, 3])
        try await scoped.update(Note.self, named: 3) { $0.isPublic = true }
        await #expect(throws: RecordError.self) { try await scoped.update(Note.self, named: 1) { $0.isPublic = false } }
        await #expect(throws: RecordError.self) { try await scoped.delete(Note.self, named: 1) }
        #expect(try await store.query(Note.self).count() == 3)
    }

    @Test func pagesInATransactionContinueWithinTheScope() async throws {
        try await store.insert((0..<9).map { Note(id: $0, owner: $0 < 7 ? "ann" : "bo") })
        let anns = try store.scoped { $0.rule(Note.self) { $0.owner == "ann" } }
        let ids = try await anns.transaction { store in
            try await store.delete(Note.self, named: 2)
            try await store.insert(Note(id: 95))
            var ids: [Int] = []
            for try await note in store.query(Note.self).sorted(by: { $0.id }).limit(2).values() { ids.append(note.id) }
            return ids
        }
        #expect(ids == [0, 1, 3, 4, 5, 6, 95])
        #expect(try await anns.query(Note.self).count() == 7)
    }

    @Test func invalidRulesAreErrors() async throws {
        let other = #expect(throws: RecordError.self) {
            try store.scoped { $0.rule(Note.self) { $0.author.name == "Ada" || $0.isPublic } }
        }
        #expect(other?.code == .invalidRule)
        let user: String? = nil
        let empty = #expect(throws: RecordError.self) {
            try store.scoped { $0.rule(Note.self) { note in if let user { note.owner == user } } }
        }
        #expect(empty.map { "\($0)" } == "the rule of the scope cannot be used: it has no condition")
        let unknown = #expect(throws: RecordError.self) {
            try store.scoped { $0.rule(Note.self) { $0.initial == "A" } }
        }
        #expect(unknown?.code == .unknownField)
    }

    @Test func saveOfAnotherWriterIsFoundAgain() async throws {
        try await store.insert(Note(id: 1, owner: "ann"))
        let base = store.database
        let anns = try store.scoped { $0.rule(Note.self) { $0.owner == "ann" } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { try await anns.overwrite(Note(id: 1, owner: "ann", team: "a")) }
                group.addTask { try await RecordStore(base).overwrite(Note(id: 1, owner: "ann", team: "b")) }
            }
            try await group.waitForAll()
        }
        #expect(try await anns.fetch(Note.self, named: 1).owner == "ann")
    }

    @Test func scopeHasAFeedForAReaderIfItsDatabaseHasOne() async throws {
        let scanned = ScannedDatabase(InMemoryRecordDatabase())
        #expect(try ScopedRecordDatabase(scanned, for: "ann") { $0.share(Note.self) }.feed == nil)
        #expect(try ScopedRecordDatabase(store.database) { $0.share(Note.self) }.feed == nil)
        let scope = try ScopedRecordDatabase(store.database, for: "ann") { $0.share(Note.self) }
        #expect(scope.feed?.database is ScopedRecordDatabase)
        #expect("\(scope)" == "scoped database of ScopedNote")
    }

    /// Also through the decorators of the library.
    @Test func liveValueInAScopeWithoutAReaderIsReadAgain() async throws {
        try await store.insert(Note(id: 1, owner: "ann", team: "red"))
        let scope = try ScopedRecordDatabase(store.database) { $0.rule(Note.self) { $0.owner == "ann" } }
        let monitored = MonitoredRecordDatabase(QueuedRecordDatabase(scope, maximumRunning: 1)) { _ in }
        for database in [scope, monitored] as [any RecordDatabase] {
            let anns = RecordStore(database, retries: RetryPolicy(repeatsTransientErrors: true))
            var values = anns.live(Note.self, named: 1).makeAsyncIterator()
            #expect(try await values.nextValue()??.team == "red")
            try await store.update(Note.self, named: 1) { $0.owner = "bo" }
            #expect(try await values.nextValue().map { $0?.id == nil } == true)
            try await store.update(Note.self, named: 1) { $0.owner = "ann" }
            #expect(try await values.nextValue()??.owner == "ann")
        }
    }
}

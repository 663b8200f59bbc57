import TestSupport
import Testing

@testable import NestedRecords

/// A live value or live query goes on after an error of its records.
@Suite(.timeLimit(.minutes(60))) struct LiveErrorTests {
    private struct Member: RecordCodable, Identifiable, Equatable {
        var id: Int
        var name: String
        static let recordType = "ErrorMember"
    }

    private struct Team: RecordCodable, Identifiable, Equatable {
        var id: String
        var title: String
        var members: [Member]
        static let recordType = "ErrorTeam"
    }

    private func makeDatabase() async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        let teams = ["a", "b"].map { title in
            Team(id: title, title: title, members: (0..<2).map { Member(id: $0, name: "\($0)") })
        }
        try await database.values.overwrite(teams)
        return database
    }

    @Test func liveValueGoesOnAfterARecordThatCannotBeDecoded() async throws {
        let database = try await makeDatabase()
        var values = database.values.live(Team.self, named: "a").makeAsyncIterator()
        _ = try await values.nextValue()
        try await database.set("title", of: "ErrorTeam/a", to: 5)
        await #expect(throws: DecodingError.self) { try await values.nextValue() }
        try await database.set("title", of: "ErrorTeam/a", to: "new")
        #expect(try await values.nextValue()??.title == "new")
        // A nested record.
        try await database.set("name", of: "ErrorMember/1", to: 5)
        await #expect(throws: DecodingError.self) { try await values.nextValue() }
        try await database.set("name", of: "ErrorMember/1", to: "new")
        #expect(try await values.nextValue()??.members[1].name == "new")
    }

    @Test func liveValueGoesOnAfterANestedRecordWasMissing() async throws {
        let database = try await makeDatabase()
        try await database.values.delete(Member.self, named: 1, .dangling)
        var values = database.values.live(Team.self, named: "a").makeAsyncIterator()
        let error = await #expect(throws: RecordError.self) { try await values.nextValue() }
        #expect(error?.code == .danglingReference)
        try await database.values.overwrite(Member(id: 1, name: "back"))
        #expect(try await values.nextValue()??.members[1].name == "back")
        try await database.values.delete(Team.self, named: "a", .dangling)
        #expect(try await values.nextValue().map { $0 == nil } == true)
    }

    @Test func anErrorIsShownOnceForEachVersionOfTheRecords() async throws {
        let database = try await makeDatabase()
        try await database.set("title", of: "ErrorTeam/a", to: 5)
        var values = database.values.live(Team.self, named: "a").makeAsyncIterator()
        let first = try #require(try await values.next())
        #expect(throws: DecodingError.self) { try first.value }
        // Neither the same sequence nor one that begins after the error shows it again.
        let same = Task { [values] in
            var values = values
            return try await values.next()
        }
        let resumed = Task {
            var values = database.values.live(Team.self, named: "a", since: first.token).makeAsyncIterator()
            return try await values.next()
        }
        for _ in 0..<5 {
            try await database.values.overwrite(Member(id: 77, name: "of no team"))
            try await Task.sleep(for: .milliseconds(20))
        }
        try await database.set("title", of: "ErrorTeam/a", to: 6)
        let changed = try await database.changeToken()
        for task in [same, resumed] {
            let second = try #require(try await task.value)
            #expect(throws: DecodingError.self) { try second.value }
            #expect(second.token == changed)
        }
        // The error is newer than the token.
        var late = database.values.live(Team.self, named: "a", since: first.token).makeAsyncIterator()
        await #expect(throws: DecodingError.self) { try await late.nextValue() }
        try await database.set("title", of: "ErrorTeam/a", to: "new")
        #expect(try await late.nextValue()??.title == "new")
    }

    @Test func liveQueryGoesOnAfterARecordThatCannotBeDecoded() async throws {
        let database = try await makeDatabase()
        let query = database.values.query(Team.self).sorted { $0.id }.limit(2)
        var pages = query.live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.map(\.title) == ["a", "b"])
        try await database.set("title", of: "ErrorTeam/b", to: 5)
        let error = try #require(try await pages.next())
        #expect(throws: DecodingError.self) { try error.value }
        var resumed = query.live(since: error.token).makeAsyncIterator()
        try await database.values.delete(Member.self, named: 0, .dangling)
        try await database.set("title", of: "ErrorTeam/b", to: "new")
        await #expect(throws: RecordError.self) { try await pages.nextValue() }
        await #expect(throws: RecordError.self) { try await resumed.nextValue() }
        try await database.values.overwrite(Member(id: 0, name: "back"))
        #expect(try await pages.nextValue()?.map(\.title) == ["a", "new"])
        #expect(try await resumed.nextValue()?.last?.members.first?.name == "back")
        try await database.set("title", of: "ErrorTeam/a", to: 5)
        await #expect(throws: DecodingError.self) { try await pages.nextValue() }
        try await database.values.delete(Team.self, named: "a", .dangling)
        #expect(try await pages.nextValue()?.map(\.title) == ["new"])
    }

    @Test func sortedLiveQueryGoesOnWhenARecordIsMigrated() async throws {
        struct House: RecordCodable, Identifiable {
            var id: String
            var floors: Int
            static let recordType = "ErrorHouse"
            static let schema = RecordSchema(defaults: ["floors": 1])
        }
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite([House(id: "a", floors: 2), House(id: "b", floors: 3)])
        var pages = database.values.query(House.self).sorted { $0.floors }.live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.map(\.id) == ["a", "b"])
        try await database.set("floors", of: "ErrorHouse/b", to: nil)
        let error = await #expect(throws: RecordError.self) { try await pages.nextValue() }
        #expect(error?.code == .unknownField)
        try await database.values.migrate(House.self)
        #expect(try await pages.nextValue()?.map(\.id) == ["b", "a"])
    }

    @Test func liveValueAndLiveQueryGoOnAfterADamagedRecord() async throws {
        let database = try await makeDatabase()
        let isDamaged = Locked(true)
        let member = try Record.ID("ErrorMember/1")
        let damaged = BrokenDatabase(base: database) { base, ids in
            if ids.contains(member), isDamaged.withLock({ $0 }) {
                throw RecordDatabaseError(.corrupt, recordID: member)
            }
            return try await base.records(for: ids)
        }
        var values = damaged.values.live(Team.self, named: "a").makeAsyncIterator()
        var pages = damaged.values.query(Team.self).live().makeAsyncIterator()
        let first = try #require(try await values.next())
        #expect((first.failure as? RecordDatabaseError)?.code == .corrupt)
        #expect((try await pages.next()?.failure as? RecordDatabaseError)?.code == .corrupt)
        isDamaged.withLock { $0 = false }
        try await database.values.overwrite(Member(id: 1, name: "mended"))
        #expect(try await values.nextValue()??.members[1].name == "mended")
        #expect(try await pages.nextValue()?.first?.members[1].name == "mended")
    }
}

extension Snapshot {
    fileprivate var failure: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}

import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct LiveValueTests {
    private struct Member: RecordCodable, Identifiable, Equatable {
        var id: Int
        var name: String
        static let recordType = "LiveMember"
    }

    private struct Team: RecordCodable, Identifiable, Equatable {
        var id: String
        var title: String
        var members: [Member]
        static let recordType = "LiveTeam"
    }

    private struct League: RecordCodable, Identifiable, Equatable {
        var id: String
        var teams: [Team]
        static let recordType = "LiveLeague"
    }

    private func makeDatabase(_ count: Int = 3) async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        let teams = ["a", "b"].map { title in
            Team(id: title, title: title, members: (0..<count).map { Member(id: $0, name: "\($0)") })
        }
        try await database.values.overwrite(League(id: "l", teams: teams))
        return database
    }

    @Test func aLiveValueBeginsAfterTheTokenThatTheCallerKnows() async throws {
        let database = try await makeDatabase()
        var values = database.values.live(Team.self, named: "a").makeAsyncIterator()
        let first = try #require(try await values.next())
        // Nothing has changed: the next element is that of the next change.
        var resumed = database.values.live(Team.self, named: "a", since: first.token).makeAsyncIterator()
        let waiting = Task { [resumed] in
            var resumed = resumed
            return try await resumed.next()?.value?.members.first?.name
        }
        try await database.values.overwrite(Member(id: 77, name: "of no team"))
        try await database.values.overwrite(Member(id: 0, name: "new"))
        #expect(try await waiting.value == "new")
        // The value has changed while nobody followed it.
        resumed = database.values.live(Team.self, named: "a", since: first.token).makeAsyncIterator()
        let second = try #require(try await resumed.next())
        #expect(try second.value?.members.first?.name == "new")
        try await database.values.delete(Team.self, named: "a", .dangling)
        resumed = database.values.live(Team.self, named: "a", since: second.token).makeAsyncIterator()
        #expect(try await resumed.next().map { try $0.value == nil } == true)
        let other = try await InMemoryRecordDatabase().changeToken()
        await #expect(throws: RecordDatabaseError.self) {
            for try await _ in database.values.live(Team.self, named: "a", since: other) {}
        }
    }

    @Test func aLiveQueryBeginsAfterTheTokenThatTheCallerKnows() async throws {
        let database = try await makeDatabase()
        let query = database.values.query(Team.self).filter { $0.title != "c" }
        var pages = query.live().makeAsyncIterator()
        let first = try #require(try await pages.next())
        var resumed = query.live(since: first.token).makeAsyncIterator()
        let waiting = Task { [resumed] in
            var resumed = resumed
            return try await resumed.next()?.value.map(\.title)
        }
        try await database.values.overwrite(Team(id: "d", title: "d", members: []))
        #expect(try await waiting.value == ["a", "b", "d"])
        try await database.values.delete(Team.self, named: "a", .dangling)
        resumed = query.live(since: first.token).makeAsyncIterator()
        #expect(try await resumed.next()?.value.map(\.title) == ["b", "d"])
    }

    @Test func nothingIsMissedBetweenTwoFollowers() async throws {
        let database = try await makeDatabase()
        let writer = Task {
            for number in 1...200 {
                try await database.values.update(Member.self, named: 1) { $0.name = "\(number)" }
                await Task.yield()
            }
        }
        var token: ChangeToken?
        var last = 0
        while last < 200 {
            // Each follower shows one or two values, and goes.
            var count = Int.random(in: 1...2)
            for try await team in database.values.live(Team.self, named: "a", since: token) {
                let number = Int(try team.value?.members[1].name ?? "") ?? -1
                #expect(token == nil || number > last)
                (last, token) = (number, team.token)
                count -= 1
                if count == 0 || last == 200 { break }
            }
        }
        try await writer.value
    }

    @Test func valueComesAgainWhenARecordInItHasChanged() async throws {
        let database = try await makeDatabase()
        var values = database.values.live(League.self, named: "l").makeAsyncIterator()
        #expect(try await values.nextValue()??.teams.count == 2)
        try await database.values.overwrite(Member(id: 2, name: "new"))
        #expect(try await values.nextValue()??.teams[1].members[2].name == "new")
        try await database.values.update(Team.self, named: "a") { $0.members.append(Member(id: 9, name: "nine")) }
        #expect(try await values.nextValue()??.teams[0].members.last?.name == "nine")
        try await database.values.overwrite(Member(id: 9, name: "9"))
        #expect(try await values.nextValue()??.teams[0].members.last?.name == "9")
    }

    @Test func otherRecordsAndEqualVersionsDoNotCount() async throws {
        let database = try await makeDatabase()
        let counting = FeedDatabase(database)
        var values = counting.values.live(Team.self, named: "a").makeAsyncIterator()
        _ = try await values.nextValue()
        let fetched = counting.fetchCount
        try await database.values.overwrite(Member(id: 77, name: "of nobody"))
        try await database.values.overwrite([Member(id: 0, name: "x"), Member(id: 1, name: "y")])
        let team = try await values.nextValue()
        #expect(team??.members.map(\.name) == ["x", "y", "2"])
        // What has changed comes with the feed.
        #expect(counting.fetchCount == fetched)
        try await database.values.update(Team.self, named: "a") { $0.members.append(Member(id: 8, name: "new")) }
        #expect(try await values.nextValue()??.members.count == 4)
        #expect(counting.fetchCount == fetched + 1)
    }

    @Test func valueIsNilWhileItsRecordIsMissing() async throws {
        let database = InMemoryRecordDatabase()
        var values = database.values.live(Member.self, named: 1).makeAsyncIterator()
        let first = try await values.nextValue()
        #expect(first.map { $0 == nil } == true)
        try await database.values.overwrite(Member(id: 1, name: "one"))
        #expect(try await values.nextValue()??.value == Member(id: 1, name: "one"))
        try await database.values.delete(Member.self, named: 1, .dangling)
        #expect(try await values.nextValue().map { $0 == nil } == true)
    }

    @Test func burstIsOneValue() async throws {
        let database = try await makeDatabase()
        var values = database.values.live(Team.self, named: "a").makeAsyncIterator()
        _ = try await values.nextValue()
        for number in 0..<100 { try await database.values.overwrite(Member(id: 0, name: "\(number)")) }
        #expect(try await values.nextValue()??.members[0].name == "99")
    }

    /// Two members always have the same name: a mixture of two moments would show two names.
    @Test func valueIsThatOfOneMoment() async throws {
        let database = InMemoryRecordDatabase()
        func save(_ number: Int) async throws {
            // Each time with another member in the middle, which has to be fetched.
            let members = [0, 100 + number, 1].map { Member(id: $0, name: "\(number)") }
            try await database.values.overwrite(Team(id: "t", title: "\(number)", members: members))
        }
        try await save(0)
        let writer = Task {
            for number in 1...300 {
                try await save(number)
                await Task.yield()
            }
        }
        let slow = FeedDatabase(database) { await Task.yield() }
        var last = -1
        for try await team in slow.values.live(Team.self, named: "t") {
            let team = try #require(try team.value)
            #expect(Set(team.members.map(\.name)) == [team.title])
            let number = try #require(Int(team.title))
            #expect(number > last)
            last = number
            if last == 300 { break }
        }
        try await writer.value
    }

    @Test func sequenceEndsWhenItsTaskIsCancelled() async throws {
        let database = try await makeDatabase()
        let begun = Gate()
        let task = Task {
            for try await _ in database.values.live(Team.self, named: "a") { begun.open() }
        }
        await begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func sequenceEndsWithAnErrorThatNoRecordCauses() async throws {
        let database = try await makeDatabase()
        let invalid = await #expect(throws: RecordError.self) {
            for try await _ in database.values.live(Team.self, named: "") {}
        }
        #expect(invalid?.code == .invalidID)
        // An error of the database, of whatever type.
        let broken = BrokenDatabase(base: database, fetch: { _, _ in throw Malfunction() })
        await #expect(throws: Malfunction.self) {
            for try await _ in broken.values.live(Team.self, named: "a") {}
        }
        await #expect(throws: Malfunction.self) { for try await _ in broken.values.query(Team.self).live() {} }
        await #expect(throws: RecordError.self) {
            for try await _ in database.values.query(Team.self).limit(-1).live() {}
        }
    }

    @Test func changesOfOtherRecordsDoNotEndThePauseOfALiveValue() async throws {
        let database = try await makeDatabase()
        let callCount = Locked(0)
        let (pausing, pauseEnd) = (Gate(), Gate())
        var pause = IdlePause()
        pause.sleep = { _ in
            pausing.open()
            await pauseEnd.wait()
        }
        let id = Result<Record.ID, any Error>.success(try Record.ID(of: Team.self, named: "a"))
        let values = FeedDatabase(database) { callCount.withLock { $0 += 1 } }.values.live(Team.self, id, pause: pause)
        var iterator = values.makeAsyncIterator()
        _ = try await iterator.nextValue()
        let next = Task { [iterator] in
            var iterator = iterator
            return try await iterator.nextValue()
        }
        try await database.values.overwrite(Member(id: 77, name: "first"))
        await pausing.wait()
        let count = callCount.withLock { $0 }
        for number in 0..<100 { try await database.values.overwrite(Member(id: 77, name: "\(number)")) }
        #expect(callCount.withLock { $0 } == count)
        try await database.values.overwrite(Member(id: 0, name: "new"))
        pauseEnd.open()
        #expect(try await next.value??.members.first?.name == "new")
    }

    @Test func recordThatStaysMissingIsNotReported() async throws {
        let database = try await makeDatabase(2)
        try await database.values.delete(Member.self, named: 1, .dangling)
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        var values = database.values(coding: decoder.coding).live(Team.self, named: "a").makeAsyncIterator()
        #expect(try await values.nextValue()??.members.map(\.id) == [0])
        try await database.values.overwrite(Member(id: 1, name: "here"))
        try await database.values.delete(Member.self, named: 1, .dangling)
        try await database.values.overwrite(Member(id: 0, name: "new"))
        #expect(try await values.nextValue()??.members.map(\.name) == ["new"])
    }

    @Test func valueIsReadAgainWhereDeletionsAreForgotten() async throws {
        let database = InMemoryRecordDatabase(maximumDeletionCount: 2)
        let team = Team(id: "t", title: "t", members: (0..<3).map { Member(id: $0, name: "\($0)") })
        try await database.values.overwrite(team)
        func deleteOthers() async throws {
            for id in 100..<110 {
                try await database.values.overwrite(Member(id: id, name: ""))
                try await database.values.delete(Member.self, named: id, .dangling)
            }
        }
        let counting = FeedDatabase(database)
        var values = counting.values.live(Team.self, named: "t").makeAsyncIterator()
        var pages = database.values.query(Team.self).live().makeAsyncIterator()
        _ = (try await values.nextValue(), try await pages.nextValue())
        try await deleteOthers()
        try await database.values.overwrite(Member(id: 1, name: "new"))
        #expect(try await values.nextValue()??.members.map(\.name) == ["0", "new", "2"])
        #expect(try await pages.nextValue()?.first?.members.map(\.name) == ["0", "new", "2"])
        try await deleteOthers()
        try await database.values.overwrite(Team(id: "t", title: "t", members: [Member(id: 1, name: "new")]))
        #expect(try await values.nextValue()??.members.count == 1)
        #expect(try await pages.nextValue()?.first?.members.count == 1)
        // What is read again from the same versions is no news.
        let fetched = counting.fetchCount
        try await deleteOthers()
        let next = Task { [values] in
            var values = values
            return try await values.nextValue()
        }
        while counting.fetchCount == fetched { await Task.yield() }
        try await database.values.overwrite(Member(id: 1, name: "newer"))
        #expect(try await next.value??.members.map(\.name) == ["newer"])
    }

    // MARK: Queries

    @Test func queryComesAgainWhenItFindsOthers() async throws {
        let database = try await makeDatabase(1)
        let query = database.values.query(Member.self).filter { $0.name >= "m" }.sorted { $0.name }.limit(2)
        var pages = query.live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.map(\.name) == [])
        try await database.values.overwrite([Member(id: 1, name: "z"), Member(id: 2, name: "n")])
        #expect(try await pages.nextValue()?.map(\.name) == ["n", "z"])
        // One that is after the page is no news.
        try await database.values.overwrite(Member(id: 3, name: "zz"))
        try await database.values.overwrite(Member(id: 4, name: "o"))
        #expect(try await pages.nextValue()?.map(\.name) == ["n", "o"])
        try await database.values.delete(Member.self, named: 2, .dangling)
        #expect(try await pages.nextValue()?.map(\.name) == ["o", "z"])
    }

    @Test func queryComesAgainWhenANestedRecordHasChanged() async throws {
        let database = try await makeDatabase(1)
        var pages = database.values.query(Team.self).filter { $0.title == "b" }.live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.first?.members.map(\.name) == ["0"])
        try await database.values.overwrite(Member(id: 0, name: "new"))
        #expect(try await pages.nextValue()?.first?.members.map(\.name) == ["new"])
    }

    /// Between any two calls of the reader a record of the page has changed.
    @Test(.timeLimit(.minutes(60))) func queryIsShownBesideABusyWriter() async throws {
        let database = try await makeDatabase(2)
        let saveCount = Locked(0)
        let writer = Task {
            while !Task.isCancelled {
                let number = saveCount.withLock { $0 }
                try await database.values.overwrite([
                    Member(id: 0, name: "\(number)"), Member(id: 1, name: "\(number)"),
                ])
                saveCount.withLock { $0 += 1 }
                await Task.yield()
            }
        }
        let slow = FeedDatabase(database) {
            let count = saveCount.withLock { $0 }
            while saveCount.withLock({ $0 < count + 2 }) { await Task.yield() }
        }
        let all = slow.values.query(Member.self)
        for query in [all.limit(2), all.filter({ $0.name != "x" }).sorted(by: { $0.name }).limit(2)] {
            var pages = query.live().makeAsyncIterator()
            var last = -1
            for _ in 0..<5 {
                let names = try await pages.nextValue()?.map(\.name) ?? []
                #expect(names.count == 2 && Set(names).count == 1)
                let number = try #require(Int(names[0]))
                #expect(number > last)
                last = number
            }
        }
        writer.cancel()
        try await writer.value
    }

    @Test func queryThroughReferencesComesAgainWhenTheTargetHasChanged() async throws {
        struct Match: RecordCodable, Identifiable {
            var id: Int
            var home: Team
            static let recordType = "LiveMatch"
        }
        let database = try await makeDatabase(1)
        try await database.values.overwrite(Match(id: 1, home: Team(id: "c", title: "c", members: [])))
        var pages = database.values.query(Match.self).filter { $0.home.title == "winner" }.live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.isEmpty == true)
        try await database.values.update(Team.self, named: "c") { $0.title = "winner" }
        #expect(try await pages.nextValue()?.map(\.id) == [1])
    }
}

/// A database that counts the fetched records, and lets others come in between.
private final class FeedDatabase: ForwardingDatabase {
    let base: InMemoryRecordDatabase
    private let pause: @Sendable () async -> Void
    private let count = Locked(0)

    init(_ base: InMemoryRecordDatabase, pause: @escaping @Sendable () async -> Void = {}) {
        (self.base, self.pause) = (base, pause)
    }

    var fetchCount: Int { count.withLock { $0 } }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        await pause()
        let found = try await base.records(for: ids)
        count.withLock { $0 += found.count }
        await pause()
        return found
    }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        await pause()
        return try await base.changes(since: token, limit: limit)
    }
}

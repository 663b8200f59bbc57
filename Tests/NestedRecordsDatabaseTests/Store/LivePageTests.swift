import NestedRecords
import TestSupport
import Testing

/// Live pages beside writers that change what a query finds, and change it back before the query is asked again.
@Suite struct LivePageTests {
    private struct Runner: RecordCodable, Identifiable {
        var id: String
        var epoch: Int
        static let recordType = "LiveRunner"
    }

    private struct Place: RecordCodable, Identifiable {
        var id: String
        var rank: Int
        var runner: Runner
        static let recordType = "LivePlace"

        init(_ id: String, rank: Int, epoch: Int = 0) {
            (self.id, self.rank, runner) = (id, rank, Runner(id: id, epoch: epoch))
        }
    }

    private func open(_ places: [Place]) async throws -> InterveningDatabase {
        let database = InterveningDatabase()
        try await database.base.values.overwrite(places)
        return database
    }

    @Test func pageThatOthersHadLeftForAMomentIsOfAMomentWithoutThem() async throws {
        let database = try await open([Place("a", rank: 0), Place("x", rank: 100)])
        let base = database.base
        database.intervene {
            try await base.values.overwrite([Place("x", rank: -1, epoch: 1), Place("a", rank: 0, epoch: 1)])
        } after: {
            try await base.values.overwrite([Place("x", rank: 100, epoch: 2), Place("a", rank: 0, epoch: 2)])
        }
        var pages = database.values.query(Place.self).sorted { $0.rank }.limit(1).live().makeAsyncIterator()
        let page = try #require(try await pages.nextValue())
        // a was first in the epochs 0 and 2, and x in the epoch 1.
        #expect(page.map(\.id) == ["a"] && page.map(\.runner.epoch) == [2])
    }

    @Test func recordThatMovesAfterTheEndOfAFullPageMayLeaveIt() async throws {
        let database = try await open([Place("a", rank: 0), Place("b", rank: 50)])
        let base = database.base
        database.intervene {
            try await base.values.overwrite(Place("a", rank: 60, epoch: 1))
        } after: {
            try await base.values.overwrite(Place("a", rank: 0, epoch: 2))
        }
        var pages = database.values.query(Place.self).sorted { $0.rank }.limit(1).live().makeAsyncIterator()
        let page = try #require(try await pages.nextValue())
        #expect(page.map(\.id) == ["a"] && page.map(\.rank) == [0] && page.map(\.runner.epoch) == [2])
    }

    @Test func recordThatMovesWithinAPageThatIsNotFullStays() async throws {
        let database = try await open([Place("a", rank: 0), Place("b", rank: 50)])
        let base = database.base
        database.intervene {
            try await base.values.overwrite(Place("b", rank: 60, epoch: 1))
        } after: {
            try await base.values.overwrite(Place("b", rank: 70, epoch: 2))
        }
        var pages = database.values.query(Place.self).sorted { $0.rank }.limit(3).live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.map(\.rank) == [0, 60])
        #expect(try await pages.nextValue()?.map(\.rank) == [0, 70])
    }

    @Test func pageOfAFilterThroughReferencesIsOfAMomentAtWhichItHolds() async throws {
        let database = try await open([Place("a", rank: 0)])
        let base = database.base
        database.intervene {
            try await base.values.overwrite(Runner(id: "a", epoch: 1))
        } after: {
            try await base.values.overwrite(Runner(id: "a", epoch: 2))
        }
        var pages = database.values.query(Place.self).filter { $0.runner.epoch != 1 }.live().makeAsyncIterator()
        #expect(try await pages.nextValue()?.map(\.runner.epoch) == [2])
    }

    // MARK: Forgotten deletions

    @Test func waitingThatFindsDeletionsForgottenReadsEverythingAgain() async throws {
        let database = InterveningDatabase(InMemoryRecordDatabase(maximumDeletionCount: 1), checksTokens: true)
        let base = database.base
        func forgetDeletions() async throws {
            for number in 0..<10 {
                try await base.values.overwrite(Runner(id: "\(number)", epoch: 0))
                try await base.values.delete(Runner.self, named: "\(number)", .dangling)
            }
        }
        try await base.values.overwrite(Runner(id: "a", epoch: 0))
        var values = database.values.live(Runner.self, named: "a").makeAsyncIterator()
        var pages = database.values.query(Runner.self).live().makeAsyncIterator()
        _ = (try await values.nextValue(), try await pages.nextValue())
        try await forgetDeletions()
        try await base.values.overwrite(Runner(id: "a", epoch: 1))
        #expect(try await values.nextValue()??.epoch == 1)
        #expect(try await pages.nextValue()?.map(\.epoch) == [1])
        try await forgetDeletions()
        try await base.values.delete(Runner.self, named: "a", .dangling)
        let last = try await values.nextValue()
        #expect(last != nil && last??.epoch == nil)
        #expect(try await pages.nextValue()?.isEmpty == true)
    }
}

/// A database in which others write just before and after one call for changes.
private final class InterveningDatabase: ForwardingDatabase {
    typealias Action = @Sendable () async throws -> Void

    let base: InMemoryRecordDatabase

    /// Whether to refuse a token that is no good before waiting, as databases on disks do.
    private let checksTokens: Bool
    private let actions = Locked<(before: Action, after: Action)?>(nil)

    init(_ base: InMemoryRecordDatabase = InMemoryRecordDatabase(), checksTokens: Bool = false) {
        (self.base, self.checksTokens) = (base, checksTokens)
    }

    /// Has others write before and after the next call for changes.
    func intervene(before: @escaping Action, after: @escaping Action) {
        actions.withLock { $0 = (before, after) }
    }

    func storedChanges(since token: ChangeToken, limit: Int) async throws -> RecordChanges {
        let actions = actions.withLock { actions in
            defer { actions = nil }
            return actions
        }
        try await actions?.before()
        let changes = try await base.changes(since: token, limit: limit)
        try await actions?.after()
        return changes
    }

    func waitForChanges(after token: ChangeToken) async throws {
        if checksTokens { _ = try await base.changes(since: token, limit: 1) }
        try await base.waitForChanges(after: token)
    }
}

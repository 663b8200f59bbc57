import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ChangeFeedTests {
    private func names(_ changes: RecordChanges) -> [String] {
        changes.saved.map { "+\($0.id.name)" } + changes.deleted.map { "-\($0.name)" }
    }

    private func save(_ names: [String], deleting deleted: [String] = [], in database: InMemoryRecordDatabase)
        async throws
    {
        try await database.commit(
            RecordBatch(
                saving: names.map { try Flat.record("A/\($0)") },
                deletingAnyVersionOf: deleted.map { try Record.ID("A/\($0)") },
                savePolicy: .overwrite))
    }

    @Test func changesSinceATokenAreTheNewestStates() async throws {
        let database = InMemoryRecordDatabase()
        try await save(["before"], in: database)
        let token = try await database.changeToken()
        #expect(try await database.changes(since: token, limit: 10).isEmpty)
        try await save(["a", "b"], in: database)
        try await save(["c"], deleting: ["b", "never"], in: database)
        try await save(["a"], in: database)
        let changes = try await database.changes(since: token, limit: 10)
        #expect(names(changes) == ["+c", "+a", "-b"])
        #expect(changes.isComplete)
        #expect(try await database.changes(since: changes.token, limit: 10).isEmpty)
        #expect(changes.token == (try await database.changeToken()))
    }

    /// All pages of the history, each with its records.
    private func pages(of database: InMemoryRecordDatabase, limit: Int) async throws -> [[String]] {
        var token = try await database.oldestChangeToken()
        var pages: [[String]] = []
        while true {
            let page = try await database.changes(since: token, limit: limit)
            pages.append(names(page))
            if page.isComplete { return pages }
            token = page.token
        }
    }

    @Test func historyBeginsWithTheFirstRecordWhenTheFirstTokenIsTaken() async throws {
        let database = InMemoryRecordDatabase()
        #expect(try await InMemoryRecordDatabase().oldestChangeToken().position == 0)
        try await save(["a", "b", "c"], in: database)
        try await save(["gone", "again"], in: database)
        try await save([], deleting: ["gone", "again"], in: database)
        try await save(["d"], in: database)
        try await save(["again", "a"], in: database)
        #expect(try await pages(of: database, limit: 1) == [["+b", "+c"], ["-gone"], ["+d"], ["+a", "+again"]])
        try await save(["b"], deleting: ["c", "d"], in: database)
        #expect(try await pages(of: database, limit: 1) == [["-gone"], ["+a", "+again"], ["+b", "-c", "-d"]])
        let last = try await database.changeToken()
        #expect(try await database.changes(since: last, limit: 1).isEmpty)
    }

    @Test(arguments: [-1, 0, 1, 40])
    func historyBeforeTheFirstTokenRemembersAsManyDeletionsAsAllowed(_ maximum: Int) async throws {
        let database = InMemoryRecordDatabase(maximumDeletionCount: maximum)
        try await save(["first"], in: database)
        for number in 0..<500 {
            try await save(["\(number % 250)"], in: database)
            try await save([], deleting: ["\(number % 250)"], in: database)
        }
        try await save(["last"], in: database)
        let deleted = (250 - max(0, maximum)..<250).map { "-\($0)" }
        #expect(try await pages(of: database, limit: 1_000) == [["+last"] + deleted])
    }

    @Test func historyBeginsWhereDeletionsAreKnown() async throws {
        let database = InMemoryRecordDatabase(maximumDeletionCount: 1)
        let first = try await database.oldestChangeToken()
        try await save(["before"], in: database)
        #expect(try await database.oldestChangeToken() == first)
        try await save(["a", "b", "c"], in: database)
        #expect(try await database.oldestChangeToken() == first)
        for name in ["a", "b", "c"] { try await save([], deleting: [name], in: database) }
        let oldest = try await database.oldestChangeToken()
        #expect(oldest.position > first.position)
        #expect(try await database.changes(since: oldest, limit: 10).deleted.count <= 2)
    }

    @Test func pageHasNoPartOfABatch() async throws {
        let database = InMemoryRecordDatabase()
        var token = try await database.changeToken()
        for batch in [["a", "b", "c"], ["d"], ["e", "f"]] { try await save(batch, in: database) }
        var pages: [[String]] = []
        while true {
            let page = try await database.changes(since: token, limit: 2)
            pages.append(names(page))
            token = page.token
            if page.isComplete { break }
        }
        #expect(pages == [["+a", "+b", "+c"], ["+d", "+e", "+f"]])
        #expect(try await database.changes(since: token, limit: -1).isComplete)
    }

    @Test func tokenIsText() async throws {
        let token = try await InMemoryRecordDatabase().changeToken()
        #expect(ChangeToken(token.description) == token)
        #expect(try JSONDecoder().decode([ChangeToken].self, from: JSONEncoder().encode([token])) == [token])
        for position in token.description.indices {
            var changed = token.description
            changed.replaceSubrange(position...position, with: changed[position] == "x" ? "y" : "x")
            #expect(ChangeToken(changed) == nil)
        }
        for text in ["", "a", "####", String(repeating: "A", count: 10_000)] { #expect(ChangeToken(text) == nil) }
    }

    @Test func tokenOfAnotherDatabaseIsRefused() async throws {
        let (database, other) = (InMemoryRecordDatabase(), InMemoryRecordDatabase())
        _ = try await database.changeToken()
        let tokens = [
            try await other.changeToken(), ChangeToken(store: try await database.changeToken().store, position: 99),
        ]
        for token in tokens {
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await database.changes(since: token, limit: 1)
            }
            #expect(error?.code == .changeTokenExpired)
            #expect(error?.expiry == .otherStore)
        }
    }

    @Test func tokenBeforeForgottenDeletionsIsRefused() async throws {
        let database = InMemoryRecordDatabase(maximumDeletionCount: 8)
        let old = try await database.changeToken()
        try await save((0..<20).map(String.init), in: database)
        let middle = try await database.changeToken()
        for number in 0..<8 { try await save([], deleting: ["\(number)"], in: database) }
        #expect(try await database.changes(since: old, limit: 100).deleted.count == 8)
        for number in 8..<16 { try await save([], deleting: ["\(number)"], in: database) }
        for token in [old, middle] {
            let error = await #expect(throws: RecordDatabaseError.self) {
                try await database.changes(since: token, limit: 100)
            }
            #expect(error?.expiry == .purged)
        }
        let last = try await database.changeToken()
        try await save(["16"], in: database)
        #expect(names(try await database.changes(since: last, limit: 100)) == ["+16"])
    }

    @Test(arguments: [true, false])
    func deletionsOfClaimsPushNoOtherDeletionsOut(isFollowed: Bool) async throws {
        let database = InMemoryRecordDatabase(maximumDeletionCount: 2)
        try await save(["a", "b"], in: database)
        // The first token creates the history.
        let token = isFollowed ? try await database.changeToken() : nil
        try await save([], deleting: ["a"], in: database)
        for number in 0..<200 {
            let claim = UniqueClaim(try Record.ID(type: "Book", name: "c"), field: "f", value: .string("\(number)"))
                .record
            try await database.commit(RecordBatch(saving: [claim]))
            try await database.commit(RecordBatch(deletingAnyVersionOf: [claim.id]))
        }
        try await save(["c"], deleting: ["b"], in: database)
        let oldest = try await database.oldestChangeToken()
        let changes = try await database.changes(since: token ?? oldest, limit: 1_000, including: .system)
        #expect(Set(changes.deleted.map(\.name)) == ["a", "b"])
        #expect(changes.saved.contains { $0.id.name == "c" })
    }

    @Test func waitingEndsWithAChange() async throws {
        let database = InMemoryRecordDatabase()
        let token = try await database.changeToken()
        let waiter = Task { try await database.waitForChanges(after: token) }
        try await save(["a"], in: database)
        try await waiter.value
        // There is a change already.
        try await database.waitForChanges(after: token)
    }

    @Test func waitingEndsWithACancellation() async throws {
        let database = InMemoryRecordDatabase()
        let token = try await database.changeToken()
        let waiters = (0..<100).map { number in
            let waiter = Task { try await database.waitForChanges(after: token) }
            if number.isMultiple(of: 2) { waiter.cancel() }
            return waiter
        }
        for waiter in waiters {
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
    }

    @Test func historyStaysSmall() async throws {
        let database = InMemoryRecordDatabase(maximumDeletionCount: 100)
        let token = try await database.changeToken()
        for number in 0..<20_000 { try await save(["\(number % 10)"], in: database) }
        let changes = try await database.changes(since: token, limit: 100)
        #expect(changes.saved.count == 10)
    }

    /// A follower that goes from token to token has what the database has, whenever it has all pages.
    @Test(arguments: 0..<10)
    func followerHasTheStateOfTheDatabase(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let database = InMemoryRecordDatabase(maximumDeletionCount: 1_000)
        var token = try await database.changeToken()
        var copy: [Record.ID: Record] = [:]
        for _ in 0..<300 {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                var names = (0..<12).map(String.init).shuffled(using: &random)
                let saved = (0..<Int.random(in: 0...4, using: &random)).map { _ in names.removeLast() }
                let deleted = (0..<Int.random(in: 0...2, using: &random)).map { _ in names.removeLast() }
                try await save(saved, deleting: deleted, in: database)
            }
            let page = try await database.changes(since: token, limit: Int.random(in: 1...5, using: &random))
            for record in page.saved {
                let (old, new) = (copy[record.id]?.metadata?.modificationDate, record.metadata?.modificationDate)
                if let old, let new { #expect(old <= new) }
                copy[record.id] = record
            }
            for id in page.deleted { copy[id] = nil }
            token = page.token
            if page.isComplete {
                var all: [Record.ID: Record] = [:]
                for try await record in database.records(ofType: nil) { all[record.id] = record }
                #expect(copy == all, "seed \(seed)")
            }
        }
    }

    @Test func writersAndAReaderMissNothing() async throws {
        let database = InMemoryRecordDatabase()
        let token = try await database.changeToken()
        let reader = Task {
            var seen: Set<String> = []
            for try await changes in database.changes(since: token, ofTypes: ["A"], limit: 7) {
                seen.formUnion(changes.saved.map(\.id.name))
                if seen.count == 800 { break }
            }
            return seen.count
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for number in 0..<100 { try await save(["\(writer)-\(number)"], in: database) } }
            }
            try await group.waitForAll()
        }
        #expect(try await reader.value == 800)
    }

    @Test func sequenceHasTheTypesThatItIsAskedFor() async throws {
        let database = InMemoryRecordDatabase()
        let token = try await database.changeToken()
        for id in ["A/1", "B/1", "A/2"] {
            try await database.commit(RecordBatch(saving: [Flat.record(id)], savePolicy: .overwrite))
        }
        var iterator = database.changes(since: token, ofTypes: ["B"]).makeAsyncIterator()
        #expect(try await iterator.next()?.saved.map(\.id.description) == ["B/1"])
    }
}

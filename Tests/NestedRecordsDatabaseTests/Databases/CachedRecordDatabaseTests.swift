import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct CachedRecordDatabaseTests {
    private let base = InMemoryRecordDatabase()
    private let fetchCount = Locked(0)
    private let feedGate = Gate()

    /// The base, which counts fetches; its feed reports nothing before the gate opens.
    private var slowFeed: BrokenDatabase {
        var database = counting
        database.wait = { [feedGate] base, token in
            try await base.waitForChanges(after: token)
            await feedGate.wait()
        }
        return database
    }

    private var counting: BrokenDatabase {
        BrokenDatabase(
            base: base,
            fetch: { [fetchCount] base, ids in
                fetchCount.withLock { $0 += 1 }
                return try await base.records(for: ids)
            })
    }

    private func cache(
        _ database: any RecordDatabase, maximumCount: Int = 1_000, pause: RetryPause = RetryPause()
    ) async throws -> CachedRecordDatabase {
        let cache = try CachedRecordDatabase(database, maximumCount: maximumCount, pause: pause)
        try await waitUntil { cache.isFollowing }
        return cache
    }

    private func save(_ count: Int) async throws -> [Record.ID] {
        let records = try (0..<count).map { try Record(id: Record.ID("Sample/\($0)"), fields: ["round": 0]) }
        try await base.commit(RecordBatch(saving: records))
        return records.map(\.id)
    }

    @Test func readsOfTheSameRecordsAreAnsweredOnce() async throws {
        let ids = try await save(100)
        let cache = try await cache(counting)
        for _ in 0..<10 {
            for start in stride(from: 0, to: 100, by: 10) {
                #expect(
                    try await cache.records(for: Array(ids[start..<start + 10])).map(\.id)
                        == ids[start..<start + 10].map(\.self))
            }
        }
        #expect(fetchCount.withLock { $0 } == 10)
        #expect(cache.hitCount == 900 && cache.missCount == 100 && cache.hitRate == 0.9)
        #expect(cache.cachedCount == 100)
        // One missing record: all are of the moment of one fetch.
        #expect(try await cache.records(for: ids + [Record.ID("Sample/none")]).count == 100)
        #expect(fetchCount.withLock { $0 } == 11)
    }

    @Test func fullCacheKeepsTheRecordsThatWereUsedLast() async throws {
        let ids = try await save(1_000)
        let cache = try await cache(counting, maximumCount: 100)
        for id in ids {
            _ = try await cache.records(for: [id])
            _ = try await cache.records(for: [ids[0]])
            #expect(cache.cachedCount <= 100)
        }
        #expect(fetchCount.withLock { $0 } == 1_000)
        _ = try await cache.records(for: Array(ids[980...]))
        #expect(fetchCount.withLock { $0 } == 1_000)
        _ = try await cache.records(for: Array(ids[..<51]))
        _ = try await cache.records(for: Array(ids[..<51]))
        #expect(fetchCount.withLock { $0 } == 1_002)
    }

    @Test func ownCommitIsReadAtOnce() async throws {
        let ids = try await save(2)
        let cache = try await cache(slowFeed)
        for round in 1...5 {
            var records = try await cache.records(for: ids)
            for index in records.indices { records[index]["round"] = .int(Int64(round)) }
            try await cache.commit(RecordBatch(saving: records))
            #expect(try await cache.records(for: ids).allSatisfy { $0["round"] == .int(Int64(round)) })
        }
        try await cache.commit(RecordBatch(deletingAnyVersionOf: [ids[0]]))
        #expect(try await cache.records(for: [ids[0]]).isEmpty)
    }

    @Test func changeOfAnotherWriterIsReadOnceTheFeedHasIt() async throws {
        let ids = try await save(3)
        let cache = try await cache(slowFeed)
        _ = try await cache.records(for: ids)
        try await base.set("round", of: "Sample/0", to: 1)
        try await base.commit(RecordBatch(deletingAnyVersionOf: [ids[1]]))
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await cache.record(for: ids[0])?["round"] == 0)
        // A feed reads the base: a live value would wait for a change that its token has passed.
        let scope = try ScopedRecordDatabase(cache) { $0.share(Sample.self) }
        #expect(try await cache.feed?.database.record(for: ids[0])?["round"] == 1)
        #expect(try await scope.liveFeed?.database.record(for: ids[0])?["round"] == 1)
        feedGate.open()
        try await waitUntil { cache.changedCount == 2 }
        #expect(try await cache.records(for: ids).map { $0["round"] } == [1, 0])
        let staleness = cache.longestStaleness
        #expect(staleness >= .milliseconds(50) && staleness < .seconds(3_600))
    }

    @Test func fetchOfARecordThatChangesIsNotKept() async throws {
        let ids = try await save(3)
        let (isRead, gate) = (Gate(), Gate())
        var database = counting
        database.fetch = { [fetchCount] base, ids in
            let records = try await base.records(for: ids)
            if fetchCount.withLock({
                $0 += 1; return $0
            }) == 2 {
                isRead.open()
                await gate.wait()
            }
            return records
        }
        let cache = try await cache(database)
        _ = try await cache.records(for: [ids[2]])
        async let early = cache.records(for: [ids[0], ids[1]])
        await isRead.wait()
        // One record is changed through the cache, the other by another writer, before a record whose removal shows.
        var record = try await base.fetch("Sample/0")
        record["round"] = 1
        try await cache.commit(RecordBatch(saving: [record]))
        for id in ["Sample/1", "Sample/2"] { try await base.set("round", of: id, to: 1) }
        try await waitUntil { cache.changedCount == 1 }
        gate.open()
        #expect(try await early.allSatisfy { $0["round"] == 0 })
        #expect(try await cache.records(for: [ids[0], ids[1]]).allSatisfy { $0["round"] == 1 })
        #expect(fetchCount.withLock { $0 } == 3)
    }

    @Test func fetchDuringACommitIsNotKept() async throws {
        let ids = try await save(1)
        let (isStarted, gate) = (Gate(), Gate())
        var database = slowFeed
        database.modify = { base, call in
            isStarted.open()
            await gate.wait()
            return try await call.perform(in: base)
        }
        let cache = try await cache(database)
        var record = try await base.fetch("Sample/0")
        record["round"] = 1
        async let saved = cache.commit(RecordBatch(saving: [record]))
        await isStarted.wait()
        #expect(try await cache.record(for: ids[0])?["round"] == 0)
        gate.open()
        _ = try await saved
        #expect(try await cache.record(for: ids[0])?["round"] == 1)
    }

    @Test func failedFeedTurnsTheCacheOff() async throws {
        let ids = try await save(1)
        for error in [Malfunction() as any Error, RecordDatabaseError(.closed), CancellationError()] {
            let (gate, mayFollowAgain, changeCount) = (Gate(), Gate(), Locked(0))
            var database = counting
            database.wait = { base, token in
                if changeCount.withLock({
                    $0 += 1; return $0
                }) == 1 {
                    await gate.wait()
                    throw error
                }
                try await base.waitForChanges(after: token)
            }
            let cache = try await cache(database, pause: RetryPause(sleep: { _ in await mayFollowAgain.wait() }))
            _ = try await cache.records(for: ids)
            #expect(cache.cachedCount == 1)
            gate.open()
            try await waitUntil { !cache.isFollowing }
            for _ in 0..<2 { #expect(try await cache.records(for: ids).count == 1) }
            #expect(cache.cachedCount == 0 && cache.hitCount == 0)
            mayFollowAgain.open()
            if case RecordDatabaseError.Code.closed = error { continue }
            try await waitUntil { cache.isFollowing }
            for _ in 0..<2 { _ = try await cache.records(for: ids) }
            #expect(cache.hitCount == 1)
        }
    }

    @Test func anotherAttemptAfterAConflictReadsTheDatabase() async throws {
        let store = RecordStore(try await cache(slowFeed))
        try await RecordStore(base).insert(Sample(id: 0, round: 0))
        _ = try await store.fetch(Sample.self, named: 0)
        try await base.set("round", of: "Sample/0", to: 5)
        #expect(try await store.fetch(Sample.self, named: 0).round == 0)
        #expect(try await store.update(Sample.self, named: 0) { $0.round += 1 }.round == 6)
        _ = try await store.fetch(Sample.self, named: 0)
        try await base.set("round", of: "Sample/0", to: 10)
        let sum = try await store.transaction { store in
            let round = try await store.fetch(Sample.self, named: 0).round
            try await store.overwrite(Sample(id: 1, round: round))
            return round
        }
        #expect(sum == 10)
    }

    @Test func releasedCacheEndsFollowing() async throws {
        let isCancelled = Locked(false)
        var database = counting
        database.wait = { _, _ in
            do { try await Task.sleep(for: .seconds(1_000)) } catch { isCancelled.withLock { $0 = true } }
            throw CancellationError()
        }
        _ = try await cache(database)
        try await waitUntil { isCancelled.withLock { $0 } }
        #expect(throws: RecordDatabaseError.self) {
            try CachedRecordDatabase(CountingDatabase(InMemoryRecordDatabase()), maximumCount: 10)
        }
    }

    @Test(arguments: [4, 1_000])
    func writersReadTheirCommitsAndAllRecordsArriveInTheEnd(maximumCount: Int) async throws {
        let ids = try await save(16)
        let cache = try await cache(base, maximumCount: maximumCount)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                // The records 0 to 7 are changed through the cache, the others past it.
                group.addTask {
                    for round in 1...200 {
                        var record = try #require(try await cache.record(for: ids[writer]))
                        #expect(record["round"] == .int(Int64(round - 1)))
                        record["round"] = .int(Int64(round))
                        try await cache.commit(RecordBatch(saving: [record]))
                        try await base.set("round", of: "Sample/\(writer + 8)", to: .int(Int64(round)))
                    }
                }
                group.addTask {
                    for _ in 0..<200 { _ = try await cache.records(for: [ids[writer], ids[15 - writer]]) }
                }
            }
            try await group.waitForAll()
        }
        try await waitUntil {
            for id in ids where try await cache.record(for: id)?["round"] != 200 { return false }
            return true
        }
    }

    private struct Sample: RecordCodable, Identifiable {
        var id: Int
        var round: Int
        static let recordType = "Sample"
    }
}

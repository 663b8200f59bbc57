@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsTesting

// One after the other: thousands of tests at the same time would delay those that wait for something.
@Suite(.serialized) struct FaultyRemoteDatabaseTests {
    private typealias Options = FaultyRemoteDatabase.Options

    @Test(arguments: RecordDatabaseContract.requirements)
    func remoteDatabaseMeets(_ requirement: RecordDatabaseRequirement) async throws {
        var options = Options()
        options.maximumDeletionCount = 50
        try await requirement.check(
            FaultyRemoteDatabase(options), forgettingDeletions: { try await $0.crowdOutDeletions() })
    }

    private static let lacks = Sweep.some(
        150,
        of: RecordCapabilities.each.flatMap { capability in
            RecordDatabaseContract.requirements.map { ($0, capability) }
        })

    @Test(arguments: lacks)
    func remoteDatabaseMeets(
        _ requirement: RecordDatabaseRequirement, without capability: RecordCapabilities
    ) async throws {
        var options = Options()
        options.capabilities.remove(capability)
        try await requirement.check(FaultyRemoteDatabase(options))
    }

    @Test(arguments: RecordDatabaseContract.requirements, [1, 4])
    func remoteDatabaseMeets(_ requirement: RecordDatabaseRequirement, withLimit limit: Int) async throws {
        var options = Options()
        (options.limits.batchCount, options.limits.pageCount) = (limit, limit)
        try await requirement.check(FaultyRemoteDatabase(options))
    }

    @Test(arguments: RecordDatabaseContract.requirements)
    func databaseThatRepeatsCallsMeetsInSpiteOfFaults(_ requirement: RecordDatabaseRequirement) async throws {
        var options = Options()
        (options.lostRequests, options.lostAcknowledgements) = (0.05, 0.2)
        (options.refusedRequests, options.partialFailures) = (0.05, 0.1)
        let database = RetriedRecordDatabase(
            FaultyRemoteDatabase(options), RetryPolicy(attempts: 1_000, repeatsTransientErrors: true))
        // The identifier of a batch is void after a lost request: the caller has to make another one.
        if requirement.neededCapabilities.contains(.outcomes) { return }
        try await requirement.check(database)
    }

    @Test(arguments: [0, 1, 4, 9, 10, 20], [1, 3, 4, 100])
    func pageIsReadInPartsOfTheLimit(limit: Int, pageCount: Int) async throws {
        var options = Options()
        options.limits.pageCount = pageCount
        let (database, memory) = (FaultyRemoteDatabase(options), InMemoryRecordDatabase())
        let records = try (0..<10).map {
            try Record(id: Record.ID(type: "Sample", name: "\($0)"), fields: ["a": .int(Int64($0))])
        }
        for database in [database, memory] as [any RecordDatabase] {
            try await database.commit(RecordBatch(saving: records))
        }
        let query = RecordQuery("Sample", order: [RecordOrder("a", isDescending: true)], limit: limit)
        let (page, expected) = (try await database.page(query), try await memory.page(query))
        #expect(page.records.map(\.id) == expected.records.map(\.id) && page.next == expected.next)
        #expect(page.matchCount == expected.matchCount)
    }

    @Test func scanEndsWithTheLimitOfExaminedRecords() async throws {
        var limits = RecordDatabaseLimits()
        limits.examinedCount = 9
        let base = InMemoryRecordDatabase()
        try await base.commit(
            RecordBatch(saving: (0..<10).map { try Record(id: Record.ID(type: "Sample", name: "\($0)"), fields: [:]) }))
        let database = PlainRemoteDatabase(base: base, limits: limits)
        for call in [
            { _ = try await database.page(RecordQuery("Sample", limit: 1)) },
            { _ = try await database.count(RecordQuery("Sample")) },
            { _ = try await database.summaries(of: RecordQuery("Sample"), field: nil, groupedBy: nil) },
        ] {
            let error = await #expect(throws: RecordDatabaseError.self) { try await call() }
            #expect(error?.code == .scanRefused && error?.description.contains("at most 9 records") == true)
        }
        #expect(try await database.page(RecordQuery("Other")).records.isEmpty)
    }

    @Test func skippedRequirementsAreListed() {
        var options = Options()
        let without = RecordDatabaseContract.skipped(for: FaultyRemoteDatabase(options))
        #expect(without.allSatisfy { $0.neededCapabilities == .audiences })
        options.capabilities.remove(.referrerConditions)
        let skipped = RecordDatabaseContract.skipped(for: FaultyRemoteDatabase(options)).filter {
            $0.neededCapabilities != .audiences
        }
        #expect(!skipped.isEmpty && skipped.allSatisfy { $0.neededCapabilities.contains(.referrerConditions) })
    }

    @Test func lostRequestChangesNothingAndLostAnswerDoes() async throws {
        let record = try Record(id: Record.ID("Sample/a"), fields: [:])
        var options = Options()
        options.lostRequests = 1
        let deaf = FaultyRemoteDatabase(options)
        let lost = await #expect(throws: RecordDatabaseError.self) {
            try await deaf.commit(RecordBatch(saving: [record]))
        }
        #expect(lost?.code == .unknownOutcome)
        #expect(try await deaf.server.memory.record(for: record.id) == nil)
        await #expect(throws: RecordDatabaseError.self) { try await deaf.records(for: [record.id]) }
        options.lostRequests = 0
        options.lostAcknowledgements = 1
        let mute = FaultyRemoteDatabase(options)
        var batch = RecordBatch(saving: [record])
        batch.id = RecordBatch.makeID()
        let error = await #expect(throws: RecordDatabaseError.self) { try await mute.commit(batch) }
        #expect(error?.code == .unknownOutcome && error?.batchID == batch.id)
        #expect(try await mute.outcome(of: #require(batch.id))?[record.id] != nil)
        #expect(try await mute.record(for: record.id) != nil)
    }

    @Test func refusedCallSaysWhenToCallAgain() async throws {
        var options = Options()
        (options.refusedRequests, options.retryAfter) = (1, .seconds(3))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await FaultyRemoteDatabase(options).records(for: [])
        }
        #expect(error?.code == .tooManyRequests && error?.retryAfter == .seconds(3) && error?.isTransient == true)
    }

    @Test func queriesMissTheLastCommitsWithoutReadYourQueries() async throws {
        var options = Options()
        options.capabilities.remove(.readYourQueries)
        options.queryLag = 2
        let database = FaultyRemoteDatabase(options)
        for number in 1...5 {
            try await database.commit(RecordBatch(saving: [Record(id: Record.ID("Sample/\(number)"), fields: [:])]))
        }
        #expect(try await database.count(RecordQuery("Sample")) == 3)
        #expect(try await database.record(for: Record.ID("Sample/5")) != nil)
    }

    @Test(arguments: 1...20) func splitFeedDeliversEachChange(seed: UInt64) async throws {
        var options = Options()
        options.capabilities.remove(.wholeBatchesInFeed)
        let database = FaultyRemoteDatabase(options)
        let feed = try #require(database.feed)
        var (token, known) = (try await feed.changeToken(), [Record.ID: Record]())
        var generator = SplitMix64(seed: seed)
        var splits = 0
        for round in 0..<40 {
            var batch = RecordBatch(savePolicy: .overwrite)
            let names = Set(
                (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                    Int.random(in: 0..<12, using: &generator)
                })
            for name in names.sorted() {
                let id = try Record.ID(type: "Sample", name: "\(name)")
                if Bool.random(using: &generator) {
                    batch.saves.append(try Record(id: id, fields: ["n": .int(Int64(round))]))
                } else {
                    batch.deletions.append(RecordBatch.VersionedID(id))
                }
            }
            try await database.commit(batch)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let page = try await feed.changes(since: token, limit: 2)
                for record in page.saved { known[record.id] = record }
                for id in page.deleted { known[id] = nil }
                token = try #require(ChangeToken(page.token.description))
                if !page.isComplete { splits += 1 }
            }
        }
        while true {
            let page = try await feed.changes(since: token, limit: 2)
            for record in page.saved { known[record.id] = record }
            for id in page.deleted { known[id] = nil }
            token = page.token
            if page.isComplete { break }
        }
        var stored: [Record.ID: Record] = [:]
        for try await record in database.records(ofType: nil) { stored[record.id] = record }
        #expect(known == stored && splits > 0)
    }

    struct Note: RecordCodable, Identifiable {
        @RecordName var id: Int
        var owner: String
        var text = ""
    }

    /// The cache and the scope stand between the value and a slow, polled store; each save is shown in the end, and what
    /// leaves the scope is missing.
    @Test(.timeLimit(.minutes(60))) func liveValueOverACacheAndAScopeShowsTheLastState() async throws {
        var options = Options()
        options.latency = .milliseconds(2)
        let remote = FaultyRemoteDatabase(options)
        let cache = try CachedRecordDatabase(remote, maximumCount: 100)
        let store = try RecordStore(cache).scoped { $0.rule(Note.self) { $0.owner == "ann" } }
        let (writer, other) = (RecordStore(remote), RecordStore(cache))
        try await writer.insert(Note(id: 1, owner: "ann"))
        var seen: [String?] = []
        var snapshots = store.live(Note.self, named: 1).makeAsyncIterator()
        func expectNext(_ text: String?) async throws {
            while let snapshot = try await snapshots.next() {
                let shown = try snapshot.value?.text
                seen.append(shown)
                if shown == text { return }
            }
            Issue.record("the values end after \(seen)")
        }
        try await expectNext("")
        for round in 0..<5 {
            for (name, store) in [("writer", writer), ("other", other)] {
                try await store.update(Note.self, named: 1) { $0.text = "\(name) \(round)" }
                try await expectNext("\(name) \(round)")
            }
        }
        try await writer.update(Note.self, named: 1) { $0.owner = "bo" }
        try await expectNext(nil)
        try await other.update(Note.self, named: 1) { ($0.owner, $0.text) = ("ann", "again") }
        try await expectNext("again")
        #expect(try await store.fetch(Note.self, named: 1).text == "again")
    }

    @Test func oneLookServesAllWaitingReaders() async throws {
        let database = FaultyRemoteDatabase()
        let feed = try #require(database.feed)
        let token = try await feed.changeToken()
        let waits = (0..<20).map { _ in Task { try await feed.waitForChanges(after: token) } }
        try await database.commit(RecordBatch(saving: [Record(id: Record.ID("Sample/a"), fields: [:])]))
        for wait in waits { try await wait.value }
        // A wait after a change returns at once, and a token of another store is refused.
        try await feed.waitForChanges(after: token)
        let other = try ChangeToken(store: "other", payload: token.payload)
        let error = await #expect(throws: RecordDatabaseError.self) { try await feed.waitForChanges(after: other) }
        #expect(error?.code == .changeTokenExpired)
    }
}

/// A database with the default queries.
private struct PlainRemoteDatabase: RecordDatabase {
    let base: InMemoryRecordDatabase
    let limits: RecordDatabaseLimits
    var capabilities: RecordCapabilities { base.capabilities }

    func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}

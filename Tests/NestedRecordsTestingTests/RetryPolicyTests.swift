@_spi(Engines) import NestedRecords
import NestedRecordsTesting
import TestSupport
import Testing

@Suite struct RetryPolicyTests {
    struct Counter: RecordCodable, Identifiable {
        @RecordName var id: Int
        var count: Int
        static let recordType = "RetriedCounter"
    }

    private static func database(seed: UInt64 = 1) -> FaultyRemoteDatabase {
        var options = FaultyRemoteDatabase.Options()
        (options.lostRequests, options.lostAcknowledgements) = (0.1, 0.3)
        (options.refusedRequests, options.partialFailures, options.seed) = (0.1, 0.1, seed)
        return FaultyRemoteDatabase(options)
    }

    /// A lost answer must not count twice, and a lost request must count once.
    @Test(arguments: 1...4) func everyUpdateCountsOnceInSpiteOfFaults(seed: UInt64) async throws {
        let database = Self.database(seed: seed)
        let policy = RetryPolicy(attempts: 10_000, repeatsTransientErrors: true)
        let store = RecordStore(database, retries: policy)
        try await store.insert(Counter(id: 1, count: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20 { try await store.update(Counter.self, named: 1) { $0.count += 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.fetch(Counter.self, named: 1).count == 80)
    }

    @Test func errorsAreThrownWithoutAPolicy() async throws {
        var options = FaultyRemoteDatabase.Options()
        options.refusedRequests = 1
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await RecordStore(FaultyRemoteDatabase(options)).insert(Counter(id: 1, count: 0))
        }
        #expect(error?.code == .tooManyRequests)
    }

    @Test func callsAreNotRepeatedWithoutAPolicy() async throws {
        let calls = Locked(0)
        var options = FaultyRemoteDatabase.Options()
        options.refusedRequests = 1
        let monitored = MonitoredRecordDatabase(FaultyRemoteDatabase(options)) { _ in calls.withLock { $0 += 1 } }
        let database = RetriedRecordDatabase(monitored, RetryPolicy())
        await #expect(throws: RecordDatabaseError.self) { try await database.records(for: []) }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func databaseRecommendsAPolicy() throws {
        var options = FaultyRemoteDatabase.Options()
        options.limits.retries = RetryPolicy(attempts: 7, repeatsTransientErrors: true)
        let store = RecordStore(FaultyRemoteDatabase(options))
        #expect(store.retries.attempts == 7 && store.database is FaultyRemoteDatabase)
        #expect(RecordStore(FaultyRemoteDatabase(options), retries: RetryPolicy()).retries.attempts == 100)
    }

    @Test(.timeLimit(.minutes(60))) func noAttemptBeginsAfterTheDeadline() async throws {
        var options = FaultyRemoteDatabase.Options()
        (options.refusedRequests, options.retryAfter) = (1, .seconds(3_600))
        let store = RecordStore(
            FaultyRemoteDatabase(options), retries: RetryPolicy(deadline: .seconds(5), repeatsTransientErrors: true))
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.fetch(Counter.self, named: 1) }
        #expect(error?.code == .tooManyRequests)
    }

    @Test func pausesAreAtLeastWhatTheDatabaseSays() async throws {
        var options = FaultyRemoteDatabase.Options()
        (options.refusedRequests, options.retryAfter) = (1, .milliseconds(400))
        let store = RecordStore(
            FaultyRemoteDatabase(options), retries: RetryPolicy(attempts: 4, repeatsTransientErrors: true))
        let start = ContinuousClock.now
        await #expect(throws: RecordDatabaseError.self) { try await store.fetch(Counter.self, named: 1) }
        #expect(ContinuousClock.now - start >= .milliseconds(3 * 400))
    }

    /// A database whose commits are lost on the way.
    struct DeafDatabase: ForwardingRecordDatabase {
        let base: any RecordDatabase = FaultyRemoteDatabase()
        let ids = Locked<[String?]>([])

        func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
            ids.withLock { $0.append(batch.id) }
            throw RecordDatabaseError(.unknownOutcome, batch.id.map { .batch($0) })
        }
    }

    @Test func batchThatTheCallerHasNamedIsNotSentUnderAnotherName() async throws {
        let deaf = DeafDatabase()
        let database = RetriedRecordDatabase(deaf, RetryPolicy(attempts: 5, repeatsTransientErrors: true))
        let batch = RecordBatch(saving: [try Record(id: Record.ID("Sample/a"), fields: [:])])
        var named = batch
        named.id = RecordBatch.makeID()
        let failure = await commitError(of: named, in: database)
        let error = failure as? RecordDatabaseError
        #expect(error?.code == .connectionLost && error?.isTransient == false)
        #expect(deaf.ids.withLock { $0 } == [named.id])
        #expect(await commitError(of: batch, in: database) is RecordDatabaseError)
        let ids = deaf.ids.withLock { $0 }
        #expect(ids.count == 6 && Set(ids).count == 6 && !ids.contains(nil))
    }

    private func commitError(of batch: RecordBatch, in database: some RecordDatabase) async -> (any Error)? {
        do {
            try await database.commit(batch)
            return nil
        } catch {
            return error
        }
    }

    @Test func attemptsAreBounded() async throws {
        let calls = Locked(0)
        var options = FaultyRemoteDatabase.Options()
        options.lostRequests = 1
        let monitored = MonitoredRecordDatabase(FaultyRemoteDatabase(options)) { _ in calls.withLock { $0 += 1 } }
        let store = RecordStore(monitored, retries: RetryPolicy(attempts: 4, repeatsTransientErrors: true))
        let error = await #expect(throws: RecordDatabaseError.self) { try await store.fetch(Counter.self, named: 1) }
        #expect(error?.code == .connectionLost && calls.withLock { $0 } == 4)
    }
}

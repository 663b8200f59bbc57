import TestSupport
import Testing

@testable import NestedRecords

@Suite struct RetryPauseTests {
    /// A database in which somebody else changes the record before each save.
    static func contested() async throws -> CountingDatabase {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        return CountingDatabase(memory) { number in
            try await memory.set("age", of: "Pupil/ann", to: .int(Int64(number) * 10))
        }
    }

    @Test func pausesBetweenAttemptsDoubleUpToTwoSeconds() async throws {
        let pauses = Locked<[Duration]>([])
        let pause = RetryPause(sleep: { pause in pauses.withLock { $0.append(pause) } }, share: { 1 })
        let database = try await Self.contested()
        await #expect(throws: RecordDatabaseError.self) {
            try await database.values.update(
                Pupil.self, from: Record.ID("Pupil/ann"), maximumAttempts: 14, pause: pause
            ) { $0.age += 1 }
        }
        #expect(database.modifications.count == 14)
        let expected: [Duration] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_000, 2_000, 2_000]
            .map { .milliseconds($0) }
        #expect(pauses.withLock { $0 } == expected)
    }

    @Test func updateThatSucceedsAtOnceDoesNotPause() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann"))
        let pauses = Locked(0)
        let pause = RetryPause(sleep: { _ in pauses.withLock { $0 += 1 } })
        _ = try await memory.values.update(Pupil.self, from: Record.ID("Pupil/ann"), pause: pause) { $0.age += 1 }
        #expect(pauses.withLock { $0 } == 0)
    }

    @Test func aSaveThatMergesPausesBetweenItsAttempts() async throws {
        let pauses = Locked<[Duration]>([])
        let pause = RetryPause(sleep: { pause in pauses.withLock { $0.append(pause) } }, share: { 1 })
        let database = try await Self.contested()
        var client = try #require(try await database.record(for: Record.ID("Pupil/ann")))
        client.fields["name"] = "Ann"
        var save = BatchedSave(records: [client], savePolicy: .ifUnchanged)
        await #expect(throws: RecordDatabaseError.self) {
            _ = try await save.send(
                to: database, RetryPolicy(attempts: 5), pause: pause, isolation: nil, isNew: { _ in true },
                ancestor: { _, _ in client }
            ) { try $0.merged() }
        }
        #expect(database.modifications.count == 5)
        #expect(pauses.withLock { $0 } == (2...5).map(RetryPause.longest(beforeAttempt:)))
    }

    @Test func pausesAreRandomAndNoLongerThanTheLongest() async throws {
        let pauses = Locked<[Duration]>([])
        let pause = RetryPause(sleep: { pause in pauses.withLock { $0.append(pause) } })
        for _ in 0..<100 { try await pause.wait(beforeAttempt: 11) }
        let all = pauses.withLock { $0 }
        #expect(all.allSatisfy { .zero <= $0 && $0 <= .milliseconds(1_024) })
        #expect(Set(all).count > 90)
    }

    @Test(.timeLimit(.minutes(60))) func cancellationEndsAPauseAtOnce() async throws {
        let database = try await Self.contested()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let pause = RetryPause(sleep: { _ in
            continuation.yield()
            try await RetryPause().sleep(.seconds(600))
        })
        let task = Task {
            try await database.values.update(
                Pupil.self, from: Record.ID("Pupil/ann"), maximumAttempts: 14, pause: pause
            ) { $0.age += 1 }
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(database.modifications.count == 1)
    }
}

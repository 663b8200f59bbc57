@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@Suite struct QueuedRecordDatabaseTests {
    private struct Load {
        var running = 0
        var peak = 0

        /// The texts of the saved records, batch by batch.
        var saved: [[String]] = []
    }

    private let load = Locked(Load())
    private let gate = Gate()

    /// A database in memory that notes its commits, each of which waits for the gate.
    private var base: BrokenDatabase {
        BrokenDatabase(modify: { [load, gate] base, call in
            load.withLock { load in
                load.running += 1
                load.peak = max(load.peak, load.running)
            }
            defer { load.withLock { $0.running -= 1 } }
            await gate.wait()
            await Task.yield()
            let saved = try await call.perform(in: base)
            load.withLock { $0.saved.append(call.saves.map { "\($0.id.name) \($0["text"].map { "\($0)" } ?? "")" }) }
            return saved
        })
    }

    private func batch(_ names: String..., text: Int = 0) throws -> RecordBatch {
        try RecordBatch(
            saving: names.map { try Record(id: Record.ID("Sample/\($0)"), fields: ["text": .int(Int64(text))]) },
            savePolicy: .overwrite)
    }

    @Test func thousandTasksCommitAFewAtATime() async throws {
        let database = QueuedRecordDatabase(base, maximumRunning: 8)
        async let all: Void = withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 { group.addTask { try await database.commit(batch("\(number)")) } }
            try await group.waitForAll()
        }
        try await waitUntil { database.waitingCount == 992 }
        #expect(database.runningCount == 8)
        gate.open()
        try await all
        #expect(load.withLock { $0.peak } == 8)
        #expect(try await database.count(RecordQuery("Sample")) == 1_000)
        #expect(database.waitingCount == 0 && database.runningCount == 0)
    }

    @Test func fullQueueRefusesACommit() async throws {
        let database = QueuedRecordDatabase(base, maximumRunning: 2, maximumWaiting: 3)
        let refused = Locked<[RecordDatabaseError]>([])
        async let all: Void = withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    do {
                        try await database.commit(batch("\(number)"))
                    } catch RecordDatabaseError.Code.overloaded {
                        let error = RecordDatabaseError(.overloaded, reason: "2 are running, 3 are waiting")
                        refused.withLock { $0.append(error) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await waitUntil { refused.withLock { $0.count } == 995 }
        let error = await #expect(throws: RecordDatabaseError.self) { try await database.commit(batch("x")) }
        #expect(error?.isTransient == true && error?.kind == .unavailable)
        #expect(
            error.map { "\($0)" }
                == "too many commits wait for the database; nothing was written: 2 are running, 3 are waiting")
        gate.open()
        try await all
        #expect(try await database.count(RecordQuery("Sample")) == 5)
        // Without waiting commits, a free place is enough.
        let alone = QueuedRecordDatabase(base, maximumRunning: 1, maximumWaiting: 0)
        try await alone.commit(batch("x"))
    }

    @Test func batchesOfARecordKeepTheirOrder() async throws {
        let database = QueuedRecordDatabase(base, maximumRunning: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let names = number.isMultiple(of: 3) ? ["a", "b"] : [number.isMultiple(of: 2) ? "a" : "b"]
                group.addTask {
                    var batch = RecordBatch(savePolicy: .overwrite)
                    for name in names { batch.saves += try self.batch(name, text: number).saves }
                    try await database.commit(batch)
                }
                try await waitUntil { database.waitingCount + database.runningCount == number + 1 }
            }
            // Only the first batch of each record runs.
            #expect(database.runningCount == 1)
            gate.open()
            try await group.waitForAll()
        }
        for name in ["a", "b"] {
            let saved = load.withLock { $0.saved.joined().filter { $0.hasPrefix(name) } }
            let expected = (0..<60).filter { $0.isMultiple(of: 3) || $0.isMultiple(of: 2) == (name == "a") }
            #expect(saved == expected.map { "\(name) \(Record.Value.int(Int64($0)))" })
        }
        #expect(load.withLock { $0.peak } == 2)
    }

    @Test func conditionsOfBatchesDoNotWaitForEachOther() async throws {
        let database = QueuedRecordDatabase(base, maximumRunning: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var batch = try batch("\(number)")
                    batch.conditions = [try RecordBatch.VersionedID(Record.ID("Sample/x"), version: .missing)]
                    try await database.commit(batch)
                }
            }
            try await waitUntil { database.runningCount == 4 }
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func cancelledCommitLeavesTheQueue() async throws {
        let database = QueuedRecordDatabase(base, maximumRunning: 2)
        var tasks: [Task<Void, any Error>] = []
        // The third waits for its turn, the fourth for the first's record, and the fifth for the fourth's.
        for (number, names) in [["a"], ["b"], ["c"], ["a", "d"], ["d"]].enumerated() {
            let batch = try RecordBatch(
                saving: names.map { try Record(id: Record.ID("Sample/\($0)"), fields: ["text": .int(Int64(number))]) },
                savePolicy: .overwrite)
            tasks.append(Task { _ = try await database.commit(batch) })
            try await waitUntil { database.waitingCount + database.runningCount == number + 1 }
        }
        for number in [2, 3] {
            tasks[number].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[number].value }
        }
        #expect(database.waitingCount == 1 && database.runningCount == 2)
        gate.open()
        for number in [0, 1, 4] { try await tasks[number].value }
        #expect(
            Set(load.withLock { $0.saved.joined() })
                == Set(["a", "b", "d"].enumerated().map { "\($1) \(Record.Value.int(Int64($0 == 2 ? 4 : $0)))" }))
        #expect(database.waitingCount == 0 && database.runningCount == 0)
    }

    @Test func thousandCommitsOfWhichManyAreCancelledLoseNone() async throws {
        let database = QueuedRecordDatabase(base, maximumRunning: 3)
        gate.open()
        let tasks = try (0..<1_000).map { number in
            let batch = try batch("\(number)", "shared \(number % 10)", text: number)
            return Task { _ = try await database.commit(batch) }
        }
        for number in stride(from: 0, to: 1_000, by: 3) { tasks[number].cancel() }
        var saved = 0
        for (number, task) in tasks.enumerated() {
            let result = await Result { try await task.value }
            let record = try await database.record(for: Record.ID("Sample/\(number)"))
            if case .success = result { saved += 1 } else { #expect(number.isMultiple(of: 3)) }
            #expect((try? result.get()) != nil || record == nil)
            #expect((try? result.get()) == nil || record != nil)
        }
        #expect(saved >= 666 && load.withLock { $0.peak } <= 3)
        #expect(database.waitingCount == 0 && database.runningCount == 0)
    }
}

import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsFile

/// Calls of the system that take long must not hold the threads on which tasks run.
@Suite struct FreeThreadTests {
    private let disk = SimulatedDisk()

    /// Saves 500 records of 4 KB each: more than is read in the thread of a task.
    private func fill(_ database: FileRecordDatabase, _ number: Int64 = 0, count: Int = 500) async throws {
        let text = Record.Value.string(String(repeating: "x", count: 4_000))
        let records = try (0..<count).map { try Flat.record("A/\($0)", ["text": text, "n": .int(number)]) }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
    }

    /// Counts the reads of an operation that hold the thread of a task, and the others.
    private func reads(_ body: () async throws -> Void) async throws -> (inTask: Int, elsewhere: Int) {
        let counts = Locked((inTask: 0, elsewhere: 0))
        disk.plan { operation, _ in
            guard operation == .read else { return nil }
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            counts.withLock { if isInTask { $0.inTask += 1 } else { $0.elsewhere += 1 } }
            return nil
        }
        try await body()
        disk.plan(nil)
        return counts.withLock { $0 }
    }

    @Test func verificationReadsInNoTask() async throws {
        let database = try disk.open()
        try await fill(database)
        let reads = try await reads {
            let problems = try await database.verify()
            #expect(problems == [])
        }
        #expect(reads.inTask == 0 && reads.elsewhere > 1)
    }

    @Test func salvageReadsInNoTask() async throws {
        try await fill(try disk.open())
        let reads = try await reads {
            let salvage = try await FileRecordDatabase.salvage(from: SimulatedDisk.path, system: disk.system)
            var count = 0
            for try await _ in salvage.records { count += 1 }
            #expect(count == 500)
        }
        #expect(reads.inTask == 0 && reads.elsewhere > 3)
    }

    @Test func verificationAndSalvageEndWithTheirTask() async throws {
        let database = try disk.open()
        try await fill(database)
        let (disk, path) = (disk, SimulatedDisk.path)
        for isSalvage in [false, true] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                if isSalvage {
                    _ = try await FileRecordDatabase.salvage(from: path, system: disk.system)
                } else {
                    _ = try await database.verify()
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: [false, true]) func listOfRecordsReadsInNoTask(isReadOnly: Bool) async throws {
        let writer = try disk.open()
        try await fill(writer)
        let database = isReadOnly ? try disk.openForReading() : writer
        let reads = try await reads {
            var count = 0
            for try await record in database.records(ofType: "A") where record["n"] == 0 { count += 1 }
            #expect(count == 500)
        }
        // A few bytes tell a reader whether there is something new.
        #expect(reads.inTask == (isReadOnly ? 3 : 0) && reads.elsewhere > 1)
    }

    @Test(.timeLimit(.minutes(60))) func nobodyWaitsForAReaderThatTakesInWhatIsNew() async throws {
        let writer = try disk.open()
        try await fill(writer, count: 1)
        let reader = try disk.openForReading()
        try await fill(writer)
        let descriptions = Locked<[String]>([])
        let (readCount, failure) = (Locked(0), Locked<String?>(nil))
        disk.plan { operation, _ in
            guard operation == .read, failure.withLock({ $0 }) == nil else { return nil }
            let count = readCount.withLock { count in
                count += 1
                return count
            }
            // What readers see is there while the file is read.
            Thread.detachNewThread { descriptions.withLock { $0.append(reader.description) } }
            do {
                try blockUntil { descriptions.withLock { $0.count } >= count }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            return nil
        }
        let id = try Record.ID("A/499")
        #expect(try await reader.records(for: [id]).count == 1)
        disk.plan(nil)
        #expect(failure.withLock { $0 } == nil)
        #expect(descriptions.withLock { $0.count { $0.contains("with 1 record,") } } > 2)
    }

    @Test(.timeLimit(.minutes(60))) func endOfADatabaseDoesNotWaitForItsCompaction() async throws {
        let (database, compaction) = try await beginCompaction()
        let dropped = Locked(false)
        Thread.detachNewThread {
            database.withLock { $0 = nil }
            dropped.withLock { $0 = true }
        }
        defer { compaction.letGo() }
        try await waitUntil("the database is still waiting") { dropped.withLock { $0 } }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.05)
            compaction.letGo()
        }
        // Who opens the file waits for the compaction.
        let again = try disk.open()
        #expect(try await again.statistics().recordCount == 500)
        #expect(try await again.statistics().compactionCount == 0)
        #expect(try await again.verify() == [])
    }

    /// A database that nobody else holds, and its compaction.
    private func beginCompaction() async throws -> (Locked<FileRecordDatabase?>, HeldCompaction) {
        let database = try disk.open { $0.compactionThreshold = 0.3 }
        let compaction = HeldCompaction(of: database, on: disk, at: 6)
        for number in 0..<3 { try await fill(database, Int64(number)) }
        await compaction.hasBegun()
        disk.plan(nil)
        return (Locked(database), compaction)
    }

    @Test(.timeLimit(.minutes(60))) func looksAtTheFileOfAllWhoWaitKeepNoThread() async throws {
        let writer = try disk.open()
        try await fill(writer, count: 1)
        let reader = try disk.openForReading()
        let token = try await reader.changeToken()
        let looks = Locked((isCounting: false, first: 0, inTask: 0, now: 0, most: 0, all: 0))
        disk.plan { operation, _ in
            guard operation == .size else { return nil }
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            let isCounting = looks.withLock { looks in
                guard looks.isCounting else {
                    if isInTask { looks.first += 1 }
                    return false
                }
                if isInTask { looks.inTask += 1 }
                (looks.now, looks.all) = (looks.now + 1, looks.all + 1)
                looks.most = max(looks.most, looks.now)
                return true
            }
            guard isCounting else { return nil }
            // Another one that comes at the same time is seen then.
            Thread.sleep(forTimeInterval: 0.05)
            looks.withLock { $0.now -= 1 }
            return nil
        }
        let count = 16
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await reader.waitForChanges(after: token) } }
            // Each asks once before it waits.
            try await waitUntil("not all wait") { looks.withLock { $0.first } >= count }
            looks.withLock { $0.isCounting = true }
            try await waitUntil("nobody looks") { looks.withLock { $0.all } >= 4 }
            looks.withLock { $0.isCounting = false }
            try await fill(writer, 1, count: 1)
            try await group.waitForAll()
        }
        #expect(looks.withLock { ($0.inTask, $0.most) } == (0, 1))
    }

    /// A save that many wait for must not wait itself for one that nobody does.
    @Test func batchesAreWrittenWithThePriorityOfTheMostUrgent() async throws {
        let database = try disk.open()
        let committer = database.store.committer
        let (gate, isHeld) = (DispatchSemaphore(value: 0), Locked(false))
        disk.plan { operation, _ in
            guard operation == .sync, !isHeld.withLock({ $0 }) else { return nil }
            isHeld.withLock { $0 = true }
            gate.wait()
            return nil
        }
        let save = { @Sendable (number: Int) in
            try await database.commit(RecordBatch(saving: [Flat.record("A/\(number)")], savePolicy: .overwrite))
        }
        let first = Task { try await save(0) }
        try await waitUntil { isHeld.withLock { $0 } }
        let low = Task(priority: .background) { try await save(1) }
        try await waitUntil { committer.waiting.count == 1 }
        #expect(committer.waiting.priority == .background)
        let high = Task(priority: .high) { try await save(2) }
        try await waitUntil { committer.waiting.count == 2 }
        #expect(committer.waiting.priority == .high)
        let last = Task(priority: .low) { try await save(3) }
        try await waitUntil { committer.waiting.count == 3 }
        #expect(committer.waiting.priority == .high)
        gate.signal()
        for task in [first, low, high, last] { _ = try await task.value }
        #expect(committer.waiting.priority == nil)
        #expect(try await database.statistics().recordCount == 4)
    }
}

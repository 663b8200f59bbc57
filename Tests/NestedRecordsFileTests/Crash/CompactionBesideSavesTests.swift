import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// Saves in the midst of a compaction, at each of its steps.
@Suite struct CompactionBesideSavesTests {
    /// A disk with a database of five batches, of which some records are deleted and most are replaced.
    private func database(
        _ batches: CountedBatches, _ change: (inout FileRecordDatabase.Options) -> Void = { _ in }
    ) async throws -> (disk: SimulatedDisk, database: FileRecordDatabase) {
        let disk = SimulatedDisk()
        let database = try disk.open(change)
        for number in 1...5 { try await disk.save(number, of: batches, in: database) }
        return (disk, database)
    }

    /// Saves two batches before a call of a compaction, which waits for them; they replace and delete what it may have
    /// copied, and keep it from its last step if they are long.
    ///
    /// - Returns: Whether the compaction has made as many calls.
    private func compact(
        savingBefore call: Int, _ batches: CountedBatches, isRelaxed: Bool, _ count: inout Int
    ) async throws -> Bool {
        let (disk, database) = try await database(batches) { $0.durability = isRelaxed ? .relaxed : .full }
        let thread = CompactionThread(of: database)
        disk.plan { _, _ in
            guard thread.nextCall() == call else { return nil }
            let failure = CompactionThread.wait {
                for number in 6...7 { try await disk.save(number, of: batches, in: database) }
            }
            #expect(failure == nil)
            return nil
        }
        disk.record()
        try await database.compact()
        disk.plan(nil)
        disk.noteSafety()
        let hasSaved = disk.state.progress[0]?.acknowledged == 7
        try await disk.save(hasSaved ? 8 : 6, of: batches, in: database)
        #expect(try await database.numbers(of: [batches]) == [hasSaved ? 8 : 6])
        #expect(try await database.verify() == [])
        #expect(try await database.statistics().compactionCount == 1)
        count += try await PowerCuts(batches: [batches], cutsPerMoment: 1, isRelaxed: isRelaxed)
            .check(Sweep.some(8, of: disk.moments))
        return hasSaved
    }

    /// The long batches are more than the last step of a compaction may copy.
    @Test(arguments: [(0, false), (12_000, false), (0, true)])
    func savesDoNotWaitForTheCopyAndSurvive(_ padding: Int, _ isRelaxed: Bool) async throws {
        let batches = CountedBatches(width: 3, padding: padding)
        var (call, count) = (0, 0)
        // Each call of a whole sweep, some of them otherwise.
        let step = Sweep.isWhole ? 1 : 8
        while try await compact(savingBefore: call, batches, isRelaxed: isRelaxed, &count) { call += step }
        #expect(call > 10)
        print("saves before calls of a compaction, up to \(call): \(count) kills and power cuts")
    }

    @Test func saveThatBeginsACompactionDoesNotWaitForIt() async throws {
        let batches = CountedBatches(width: 3, padding: 200_000)
        let disk = SimulatedDisk()
        let database = try disk.open { $0.compactionThreshold = 0.4 }
        let held = HeldCompaction(of: database, on: disk, at: 12)
        for number in 1...4 { try await disk.save(number, of: batches, in: database) }
        await held.hasBegun()
        for number in 5...7 { try await disk.save(number, of: batches, in: database) }
        #expect(try await database.statistics().compactionCount == 0)
        held.letGo()
        await database.compactionHasEnded()
        #expect(try await database.statistics().compactionCount == 1)
        #expect(try await database.numbers(of: [batches]) == [7])
    }

    @Test(arguments: [ENOSPC, EIO])
    func copyThatFailsLeavesTheOldFileInUse(_ code: Int32) async throws {
        let batches = CountedBatches(width: 3, padding: 30_000)
        var (call, failures) = (0, 0)
        while true {
            let (disk, database) = try await database(batches)
            let file = disk.state.names[SimulatedDisk.path]
            let thread = CompactionThread(of: database)
            disk.plan { [call] _, _ in
                guard thread.nextCall() == call else { return nil }
                let failure = CompactionThread.wait { try await disk.save(6, of: batches, in: database) }
                #expect(failure == nil)
                return .error(code)
            }
            do {
                try await database.compact()
            } catch let error as RecordDatabaseError {
                failures += 1
                #expect(disk.state.names[SimulatedDisk.path] == file)
                #expect(try await database.statistics().compactionFailure == "\(error)")
            }
            disk.plan(nil)
            guard thread.callCount > call else { break }
            try await disk.save(7, of: batches, in: database)
            #expect(try await SimulatedDisk(disk.state.afterKill()).open().numbers(of: [batches]) == [7])
            try await database.compact()
            #expect(Array(disk.state.names.keys) == [SimulatedDisk.path])
            #expect(try await database.numbers(of: [batches]) == [7])
            #expect(try await database.statistics().compactionFailure == nil)
            call += Sweep.isWhole ? 1 : 5
        }
        #expect(failures > (Sweep.isWhole ? 10 : 2))
    }

    @Test func laterCompactionGivesBackWhatTheRunningOneHasCopied() async throws {
        let (disk, database) = try await database(CountedBatches(width: 3, padding: 1_000))
        let held = HeldCompaction(of: database, on: disk, at: 12)
        async let first = database.compact()
        await held.hasBegun()
        let records = try await database.allRecords
        try await database.commit(RecordBatch(deletingAnyVersionOf: Array(records.keys), savePolicy: .overwrite))
        async let second = database.compact()
        while database.store.compactor.waiting.withLock({ $0.callers.isEmpty }) { await Task.yield() }
        held.letGo()
        let reclaimed = try await [first, second]
        #expect(reclaimed[1] > 3_000)
        let statistics = try await database.statistics()
        #expect(statistics.compactionCount == 2)
        #expect(statistics.fileSize < 5_000)
    }
}

/// What becomes of a compaction when its database is closed, or nobody holds it any more.
@Suite struct AbandonedCompactionTests {
    private let batches = CountedBatches(width: 3, padding: 200_000)

    private struct WeakStore {
        weak var store: LogStore?
    }

    private func check(_ disk: SimulatedDisk) async throws {
        #expect(Array(disk.state.names.keys) == [SimulatedDisk.path])
        let again = try disk.open()
        #expect(try await again.numbers(of: [batches]) == [3])
        #expect(try await again.verify() == [])
        #expect(try await again.statistics().compactionCount == 0)
    }

    @Test func closingGivesUpACompaction() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        for number in 1...3 { try await batches.save(number, in: database) }
        let held = HeldCompaction(of: database, on: disk, at: 10)
        let compaction = Task { try await database.compact() }
        await held.hasBegun()
        let closing = Task { try await database.close() }
        while !database.store.compactor.waiting.withLock({ $0.isAbandoned }) { await Task.yield() }
        held.letGo()
        try await closing.value
        let failure = await #expect(throws: RecordDatabaseError.self) { _ = try await compaction.value }
        #expect(failure?.code == .closed)
        await #expect(throws: RecordDatabaseError.self) { try await database.compact() }
        try await check(disk)
    }

    @Test func fileIsFreeWhenNobodyHoldsTheDatabase() async throws {
        let disk = SimulatedDisk()
        let holder = Lock<FileRecordDatabase?>(try disk.open { $0.compactionThreshold = 0.4 })
        let held = try #require(holder.withLock { $0.map { HeldCompaction(of: $0, on: disk, at: 10) } })
        for number in 1...3 {
            guard let database = holder.withLock({ $0 }) else { return }
            try await batches.save(number, in: database)
        }
        await held.hasBegun()
        let weakStore = WeakStore(store: holder.withLock { $0?.store })
        let hasEnded = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            _ = holder.take()
            hasEnded.signal()
        }
        while let store = weakStore.store, !store.compactor.waiting.withLock({ $0.isAbandoned }) { await Task.yield() }
        held.letGo()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                hasEnded.wait()
                continuation.resume()
            }
        }
        // Who opens the file waits for the compaction that was given up.
        _ = try disk.open()
        try await check(disk)
    }
}

import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile
@testable import TestSupport

/// Writes, compacts, closes and opens on a disk in memory in random order, and cuts the power or kills the program at
/// some moments, then again while the remaining file is opened and written.
///
/// Afterwards the file must have all acknowledged batches, and at most one other batch of each task, as a whole. Each
/// sector that was not synced is written or not, or as at some moment since, and so is each name in the folder.
struct PowerTrial {
    /// The defects of a disk or a program.
    enum Defect: CaseIterable {
        case syncDoesNothing, folderSyncDoesNothing, compactionIsNotSynced
    }

    private var random: SplitMix64
    private let defect: Defect?
    private let batches: [CountedBatches]
    private let isRelaxed: Bool
    private let disk = SimulatedDisk()
    private let numbers = Lock<[Int]>([])

    init(random: SplitMix64, defect: Defect? = nil) {
        var random = random
        self.defect = defect
        isRelaxed = defect == nil && random.chance(oneIn: 4)
        batches = (0..<random.pick([1, 1, 2, 3])).map { task in
            CountedBatches(task: task, width: random.pick([1, 3, 6]), padding: random.pick([0, 0, 40, 600, 6_000]))
        }
        self.random = random
        numbers.withLock { $0 = batches.map { _ in 0 } }
    }

    mutating func run(_ counts: inout Counts) async throws {
        disk.record()
        plan(savingIn: nil, [:])
        for _ in 0..<random.pick([1, 2, 3]) {
            let database = try disk.open { $0.durability = isRelaxed ? .relaxed : .full }
            for _ in 0..<random.pick([1, 2, 4, 6]) { try await step(in: database, &counts) }
            if random.chance(oneIn: 2) {
                try await database.close()
                disk.noteSafety()
            }
        }
        try await cut(&counts)
    }

    private mutating func step(in database: FileRecordDatabase, _ counts: inout Counts) async throws {
        switch random.pick([0, 0, 1, 2]) {
        case 0: try await Self.save(random.pick(Array(batches.indices)), batches, numbers, disk, database)
        case 1:
            let (disk, numbers, all) = (disk, numbers, batches)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in all.indices {
                    group.addTask { try await Self.save(task, all, numbers, disk, database) }
                }
                try await group.waitForAll()
            }
        default:
            // Runs before some of the calls that a compaction makes in its thread.
            var saves: [Int: Int] = [:]
            for _ in 0..<random.pick([0, 1, 3, 9]) {
                saves[Int.random(in: 0..<24, using: &random)] = random.pick(Array(batches.indices))
            }
            plan(savingIn: database, saves)
            try await database.compact()
            disk.noteSafety()
            counts["compactions beside saves", default: 0] += 1
            plan(savingIn: nil, [:])
        }
    }

    private static func save(
        _ task: Int, _ batches: [CountedBatches], _ numbers: Lock<[Int]>, _ disk: SimulatedDisk,
        _ database: FileRecordDatabase
    ) async throws {
        let number = numbers.withLock { numbers in
            numbers[task] += 1
            return numbers[task]
        }
        try await disk.save(number, of: batches[task], in: database)
    }

    /// Makes the disk misbehave, and makes tasks save when a compaction makes calls.
    private func plan(savingIn database: FileRecordDatabase?, _ saves: [Int: Int]) {
        let thread = database.map { CompactionThread(queue: $0.store.compactor.queue) }
        disk.plan { [defect, batches, numbers, weak disk, weak database] operation, _ in
            guard let disk else { return nil }
            if let call = thread?.nextCall(), let task = saves[call], let database {
                if let failure = CompactionThread.wait(for: {
                    try await Self.save(task, batches, numbers, disk, database)
                }) {
                    fail("a save during a compaction: \(failure)")
                }
            }
            switch (defect, operation) {
            case (.syncDoesNothing, .sync), (.folderSyncDoesNothing, .syncFolder): return .skipped
            case (.compactionIsNotSynced, .sync):
                return disk.state.names.keys.contains { $0.contains(CompactionLeftover.mark) } ? .skipped : nil
            default: return nil
            }
        }
    }

    /// Kills the program or cuts the power at random moments.
    private mutating func cut(_ counts: inout Counts) async throws {
        let cuts = PowerCuts(batches: batches, isRelaxed: isRelaxed)
        let moments = disk.moments
        for _ in 0..<40 {
            let number = Int.random(in: moments.indices, using: &random)
            let state = moments[number].state
            let isKill = random.chance(oneIn: 5)
            let left = SimulatedDisk(isKill ? state.afterKill() : state.afterPowerCut(&random))
            counts[isKill ? "kills" : "losses of power", default: 0] += 1
            let cutsAgain = random.chance(oneIn: 3)
            if cutsAgain { left.record() }
            do {
                try await cuts.examine(left)
                guard cutsAgain else { continue }
                let later = left.moments[Int.random(in: left.moments.indices, using: &random)]
                counts["losses of power while it is opened again", default: 0] += 1
                try await cuts.examine(SimulatedDisk(later.state.afterPowerCut(&random)))
            } catch {
                throw Loss(description: "before call \(number), \(moments[number].operation): \(error)")
            }
        }
    }
}

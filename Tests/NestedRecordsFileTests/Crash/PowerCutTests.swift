import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct PowerCutTests {
    /// Opens, writes, compacts, closes, opens again and writes, and keeps every moment.
    private func run(_ batches: CountedBatches, isRelaxed: Bool = false) async throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.record()
        for session in 0..<2 {
            let database = try disk.open { $0.durability = isRelaxed ? .relaxed : .full }
            for number in 1...5 {
                try await disk.save(session * 5 + number, of: batches, in: database)
                if number == 3 {
                    try await database.compact()
                    disk.noteSafety()
                }
            }
            if session == 0 {
                try await database.close()
                disk.noteSafety()
            }
        }
        return disk
    }

    @Test func acknowledgedBatchesSurvive() async throws {
        let disk = try await run(CountedBatches(width: 5))
        let count = try await PowerCuts(cutsPerMoment: 40).check(disk.moments)
        print("power cuts while one task writes, compacts, closes: \(count)")
    }

    @Test func relaxedBatchesSurviveAsPrefix() async throws {
        let disk = try await run(CountedBatches(width: 5), isRelaxed: true)
        let count = try await PowerCuts(cutsPerMoment: 40, isRelaxed: true).check(disk.moments)
        print("power cuts with relaxed durability: \(count)")
    }

    @Test func batchesThatAreWrittenTogetherSurvive() async throws {
        let disk = SimulatedDisk()
        let batches = (0..<6).map { CountedBatches(task: $0, width: 3) }
        let database = try disk.open()
        disk.record()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for batches in batches {
                group.addTask {
                    for number in 1...5 {
                        try await disk.save(number, of: batches, in: database)
                        if number == 3, batches.task == 2 { try await database.compact() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await PowerCuts(batches: batches, cutsPerMoment: 15).check(disk.moments)
        print("power cuts while six tasks write: \(count)")
    }

    @Test(arguments: [false, true])
    func longBatchesSurvive(_ isRelaxed: Bool) async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 3, padding: 280_000)
        let database = try disk.open {
            // The second batch has the file compacted.
            ($0.durability, $0.compactionThreshold) = (isRelaxed ? .relaxed : .full, 0.2)
        }
        disk.record()
        for number in 1...2 { try await disk.save(number, of: batches, in: database) }
        await database.compactionHasEnded()
        let cuts = PowerCuts(batches: [batches], cutsPerMoment: 1, isRelaxed: isRelaxed, sample: 2)
        let count = try await cuts.check(disk.moments)
        print("power cuts in batches of 1 MB, \(isRelaxed ? "relaxed" : "full"): \(count)")
    }

    @Test func closingRelaxedDatabaseSavesTheIndexSafely() async throws {
        let disk = SimulatedDisk()
        let batches = CountedBatches(width: 3, padding: 280_000)
        let database = try disk.open { $0.durability = .relaxed }
        // Enough for an index to be saved by closing.
        for number in 1...4 { try await disk.save(number, of: batches, in: database) }
        disk.record()
        try await database.close()
        // What was written before is not safe until the first sync has ended.
        let moments = disk.moments.filter { $0.operation == .sync }.prefix(1)
        let count = try await PowerCuts(batches: [batches], cutsPerMoment: 10, isRelaxed: true).check(Array(moments))
        print("power cuts while an index is saved: \(count)")
    }
}

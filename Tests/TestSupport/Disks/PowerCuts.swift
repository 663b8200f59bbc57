import NestedRecords
import NestedRecordsFile

/// Cuts the power at every moment that a disk has kept, or kills the program, and looks at what is left.
package struct PowerCuts {
    package var batches: [CountedBatches]

    /// How often each moment is taken, every time with other sectors that survive.
    package var cutsPerMoment: Int
    package var isRelaxed: Bool

    /// How many moments are looked at where the sweep is not whole.
    package var sample: Int

    package init(
        batches: [CountedBatches] = [CountedBatches(width: 5)], cutsPerMoment: Int = 4, isRelaxed: Bool = false,
        sample: Int = 16
    ) {
        (self.batches, self.cutsPerMoment) = (batches, cutsPerMoment)
        (self.isRelaxed, self.sample) = (isRelaxed, sample)
    }

    /// What was found wrong, for a message that says how to get there again.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Checks all moments of a whole sweep, and some of them otherwise, and gives the number of cases.
    ///
    /// - Throws: ``Failure`` with the first case of each kind, if there is one.
    package func check(_ moments: [SimulatedDisk.Moment]) async throws -> Int {
        var failures: [String: String] = [:]
        var random = SplitMix64(seed: 7)
        var count = 0
        for (number, moment) in Sweep.some(sample, of: Array(moments.enumerated())) {
            for cut in 0...Sweep.count(1, whole: cutsPerMoment) {
                count += 1
                do {
                    let state = cut == 0 ? moment.state.afterKill() : moment.state.afterPowerCut(&random)
                    try await examine(SimulatedDisk(state))
                } catch {
                    let kind = String("\(error)".prefix { !$0.isNumber })
                    failures[kind] = failures[kind] ?? "before call \(number), \(moment.operation): \(error)"
                }
            }
        }
        guard failures.isEmpty else { throw Failure(description: failures.values.sorted().joined(separator: "\n")) }
        return count
    }

    /// Has the readers of the feed go on, and compares what they have with what is there.
    private func follow(_ database: FileRecordDatabase, _ disk: SimulatedDisk) async throws {
        let all = try await ChangeFollower(snapshotOf: database).records
        for (task, var follower) in disk.state.followers {
            do {
                try await follower.catchUp(with: database)
            } catch let error as RecordDatabaseError where error.expiry == .wentBack && isRelaxed {
                // What it has read was not safe.
                continue
            }
            guard follower.records == all else {
                throw Failure(description: "the reader of task \(task) does not have what is there")
            }
        }
    }

    /// Opens what is left, compares it with what was acknowledged, and writes on.
    package func examine(_ disk: SimulatedDisk) async throws {
        var numbers: [Int] = []
        do {
            let database = try disk.open()
            numbers = try await database.numbers(of: batches)
            for (batches, number) in zip(batches, numbers) {
                let progress = disk.state.progress[batches.task] ?? BatchProgress()
                let first = isRelaxed ? progress.safe : progress.acknowledged
                guard (first...progress.attempted).contains(number) else {
                    throw Failure(description: "found batch \(number), not one of \(progress)")
                }
            }
            try await follow(database, disk)
            let problems = try await database.verify()
            guard problems.isEmpty else { throw Failure(description: "problems after a power cut: \(problems)") }
            try await disk.save(numbers[0] + 1, of: batches[0], in: database)
        }
        let again = try disk.openForReading()
        guard again.recoveredByteCount == 0, try await again.numbers(of: batches) == [numbers[0] + 1] + numbers[1...]
        else {
            throw Failure(description: "cannot be written on after batch \(numbers)")
        }
    }
}

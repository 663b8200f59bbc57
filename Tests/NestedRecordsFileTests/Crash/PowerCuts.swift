import TestSupport

@testable import NestedRecords
@testable import NestedRecordsFile

/// Cuts the power at every moment that a disk has kept, or kills the program, and looks at what is left.
struct PowerCuts {
    var batches: [CountedBatches] = [CountedBatches(width: 5)]

    /// How often each moment is taken, every time with other sectors that survive.
    var cutsPerMoment = 4
    var isRelaxed = false

    /// How many moments are looked at where the sweep is not whole.
    var sample = 16

    /// What was found wrong, for a message that says how to get there again.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Checks all moments of a whole sweep, and some of them otherwise, and gives the number of cases.
    ///
    /// - Throws: ``Failure`` with the first case of each kind, if there is one.
    func check(_ moments: [SimulatedDisk.Moment]) async throws -> Int {
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
    func examine(_ disk: SimulatedDisk) async throws {
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

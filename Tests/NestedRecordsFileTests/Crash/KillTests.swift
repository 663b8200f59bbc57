import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What a killed program wrote is there when the file is opened again, but not all of it has reached the platters.
@Suite struct KillTests {
    /// Kills the program at each moment, goes on in another one, and cuts the power at each moment of that.
    private func check(
        _ moments: [SimulatedDisk.Moment], _ durability: RecordDurability = .full
    ) async throws -> Int {
        var count = 0
        for moment in moments {
            let disk = SimulatedDisk(moment.state.afterKill())
            let progress = disk.state.progress[0] ?? BatchProgress()
            do {
                let database = try disk.open()
                // A power cut may take what was never made durable, but not what the program that goes on acknowledges.
                if durability == .relaxed { disk.change { $0.progress[0]?.acknowledged = 0 } }
                disk.record()
                let number = try await database.numbers(of: [batches])[0]
                #expect((progress.acknowledged...progress.attempted).contains(number))
                #expect(try await database.verify() == [])
                for next in 1...2 { try await disk.save(number + next, of: batches, in: database) }
            }
            count += try await PowerCuts(batches: [batches], cutsPerMoment: 4).check(disk.moments)
        }
        return count
    }

    private let batches = CountedBatches(width: 3)

    @Test(arguments: [RecordDurability.full, .relaxed])
    func batchesSurvivePowerCutsAfterKills(_ durability: RecordDurability) async throws {
        let disk = SimulatedDisk()
        let database = try disk.open { $0.durability = durability }
        disk.record()
        for number in 1...3 { try await disk.save(number, of: batches, in: database) }
        let count = try await check(disk.moments, durability)
        print("power cuts after kills, \(durability): \(count)")
    }

    @Test func newFileSurvivesPowerCutsAfterKills() async throws {
        let disk = SimulatedDisk()
        disk.record()
        let database = try disk.open()
        try await disk.save(1, of: batches, in: database)
        let count = try await check(disk.moments)
        print("power cuts after kills in creations: \(count)")
    }

    @Test func compactedFileSurvivesPowerCutsAfterKills() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        for number in 1...2 { try await disk.save(number, of: batches, in: database) }
        disk.record()
        try await database.compact()
        let count = try await check(disk.moments)
        print("power cuts after kills in compactions: \(count)")
    }
}

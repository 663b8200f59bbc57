import Foundation
import Testing

extension Simulation {
    /// How many times the usual number of histories is run: `SYNC_HISTORIES=100 swift test …`.
    private static let factor = ProcessInfo.processInfo.environment["SYNC_HISTORIES"].flatMap { Int($0) } ?? 1

    /// The first history, to repeat one: `SYNC_SEED=319 swift test …`.
    private static let first = ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap { UInt64($0) } ?? 0

    /// Runs histories, up to the first in which something is wrong.
    ///
    /// - Parameters:
    ///   - options: What happens in them.
    ///   - count: Their usual number.
    ///   - seeds: Histories that have found a defect, which are run too.
    ///   - clear: Called before each.
    static func check(
        _ options: SimulationOptions, count: Int, and seeds: [UInt64] = [], clear: () async throws -> Void = {}
    ) async throws {
        let start = Date()
        for seed in seeds + Array(first..<first + UInt64(count * factor)) {
            do {
                try await clear()
                let faults = try await Simulation(seed: seed, options).run()
                #expect(faults == [], "seed \(seed)")
                if !faults.isEmpty { return }
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        if factor > 1 { print("\(count * factor) histories in \(Int(Date().timeIntervalSince(start))) s") }
    }
}

import Foundation
import TestSupport
import Testing

/// Codable types of every shape, in every place and over every path, against the coders of JSON.
///
/// `DIFFERENTIAL_SEED` repeats a run, `DIFFERENTIAL_TYPE` compares one type only.
@Suite struct DifferentialTests {
    @Test func recordsCarryWhatJSONCarries() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["DIFFERENTIAL_SEED"].flatMap { UInt64($0) } ?? Sweep.seed
        let type = environment["DIFFERENTIAL_TYPE"]
        let tally = await Differential.run(
            seed: seed, rounds: Sweep.count(1, whole: 10), simpleRounds: Sweep.count(1, whole: 30),
            paths: [.graph, .binary, .lines, .typedJSON, .memory], only: type)
        print("DIFFERENTIAL_SEED=\(seed): \(tally)")
        for difference in tally.unexplained.prefix(5) { Issue.record("\(difference)") }
        #expect(tally.unexplained.count == 0, "DIFFERENTIAL_SEED=\(seed)")
        guard type == nil else { return }
        #expect(tally.count >= (Sweep.isWhole ? 300_000 : 10_000))
        #expect(tally.mended.isEmpty, "to be taken out of the known differences")
    }
}

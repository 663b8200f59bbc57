import TestSupport
import Testing

/// Codable types of every shape, in some places and over every path, against the coders of JSON.
@Suite struct DifferentialTests {
    @Test func recordsCarryWhatJSONCarries() async throws {
        let tally = try await Differential.run(
            seed: 20_261_124, paths: [.graph, .binary, .lines, .typedJSON, .memory, .file()])
        for difference in tally.unexplained.prefix(5) { Issue.record("\(difference)") }
        #expect(tally.unexplained.count == 0)
        #expect(tally.count >= 2_000)
    }
}

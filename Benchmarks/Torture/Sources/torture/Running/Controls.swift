import Foundation

@testable import TestSupport

/// Defects that the trials must find, to show that they can find defects.
struct Controls {
    let folder: String
    let seed: UInt64

    func run() async throws {
        var counts = Counts()
        for defect in PowerTrial.Defect.allCases {
            try await find("power, \(defect)", within: 3_000) { random in
                var trial = PowerTrial(random: random, defect: defect)
                try await trial.run(&counts)
            }
        }
        try await find("faults, a write that is not made", within: 300) { random in
            try await FaultTrial.run(&random, &counts, skipsWrites: true)
        }
        try await find("databases, another value", within: 300) { random in
            try await DatabaseTrial.run(&random, &counts, hidesLies: true)
        }
        try await find("differential, a lost field", within: 3) { random in
            try await DifferentialTrial.run(seed: random.next(), &counts, losesFields: true)
        }
        let folder = folder + "/control"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var rounds = Rounds(folder: folder, random: SplitMix64(seed: seed), acknowledgesTooEarly: true)
        try await find("kills, an acknowledgement before the save", within: 60) { _ in try await rounds.next() }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Requires that a defect is found soon.
    private func find(
        _ name: String, within most: Int, _ body: (inout SplitMix64) async throws -> Void
    ) async throws {
        var random = SplitMix64(seed: seed)
        for number in 1...most {
            var own = SplitMix64(seed: random.next())
            do { try await body(&own) } catch {
                say("control: \(name): seen in trial \(number): \("\(error)".prefix(100))")
                return
            }
        }
        throw Loss(description: "control: \(name): not seen in \(most) trials, so the other results cannot be trusted")
    }
}

import Foundation
import TestSupport
import Testing

/// Random calls of containers, against the coders of JSON.
///
/// `CALLS_SEED` repeats a run, `CALLS_COUNT` says how many programs it has, and `CALLS_PROGRAM` runs one program, as a
/// difference prints it.
@Suite struct ContainerCallTests {
    @Test func containersDoWhatThoseOfJSONDo() throws {
        let environment = ProcessInfo.processInfo.environment
        if let text = environment["CALLS_PROGRAM"] {
            let comparison = CallComparison(try #require(CallProgram(text: text)))
            #expect(comparison.difference == nil, "\(comparison.report)")
            return
        }
        let seed = environment["CALLS_SEED"].flatMap { UInt64($0) } ?? Sweep.seed
        let count = environment["CALLS_COUNT"].flatMap { Int($0) } ?? Sweep.count(500, whole: 40_000)
        print("CALLS_SEED=\(seed)")
        var generator = SplitMix64(seed: seed)
        for _ in 0..<count {
            let program = CallProgram.random(&generator)
            guard CallComparison(program).difference != nil else { continue }
            let small = CallComparison(program.shrunk { CallComparison($0).difference != nil })
            Issue.record("CALLS_SEED=\(seed): \(small.difference ?? "")\n\(small.report)")
            return
        }
    }

    /// Types keep their encoders, decoders and containers, use those of ended calls, and run programs in the middle of others.
    @Test func keptAndReenteredCodersChangeNoOtherCall() {
        let seed = Sweep.seed
        var generator = SplitMix64(seed: seed)
        let disturbance = CallDisturbance(seed: seed)
        for _ in 0..<Sweep.count(500, whole: 40_000) {
            let program = CallProgram.random(&generator)
            let comparison = CallComparison(program, disturbance)
            if let difference = comparison.difference ?? disturbance.difference {
                Issue.record("seed \(seed), program \(program.text): \(difference)\n\(comparison.report)")
                return
            }
            disturbance.add(program)
        }
        #expect(disturbance.useCount > 100 && disturbance.programCount > 20)
    }

    @Test(arguments: KeptPrograms.all) func programThatFoundSomethingFindsNothing(_ kept: KeptPrograms.Kept) throws {
        let comparison = CallComparison(try #require(CallProgram(text: kept.text)))
        #expect(comparison.difference == nil, "\(kept.about)\n\(comparison.report)")
    }

    @Test(arguments: KnownDifference.programs)
    func knownDifferenceIsStillThere(_ kept: KeptPrograms.Kept) throws {
        let program = try #require(CallProgram(text: kept.text))
        #expect(CallComparison(program).difference != nil, "to be taken out of the known differences: \(kept.about)")
    }
}

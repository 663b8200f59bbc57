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
        let seed = environment["CALLS_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)
        let count = environment["CALLS_COUNT"].flatMap { Int($0) } ?? 4_000
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

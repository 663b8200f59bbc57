import Foundation
import TestSupport
import Testing

/// Random calls of containers, against the coders of JSON.
///
/// `CALLS_PROGRAM` runs one program, as a difference prints it.
@Suite struct ContainerCallTests {
    private static let seed: UInt64 = 20_261_124

    /// Runs random programs, and makes the first one smaller that finds something.
    private func check(_ count: Int, _ compare: (CallProgram) -> CallComparison) {
        var generator = SplitMix64(seed: Self.seed)
        for _ in 0..<count {
            let program = CallProgram.random(&generator)
            guard compare(program).difference != nil else { continue }
            let small = compare(program.shrunk { compare($0).difference != nil })
            Issue.record("\(small.difference ?? "")\n\(small.report)")
            return
        }
    }

    @Test func containersDoWhatThoseOfJSONDo() throws {
        if let text = ProcessInfo.processInfo.environment["CALLS_PROGRAM"] {
            let comparison = CallComparison(try #require(CallProgram(text: text)))
            #expect(comparison.difference == nil, "\(comparison.report)")
            return
        }
        check(Sweep.count(1_000, whole: 20_000)) { CallComparison($0) }
    }

    @Test(arguments: CallWay.others) func recordsCarryWhatContainersWrite(_ way: CallWay) {
        check(200) { CallComparison($0, way: way) }
        for kept in KeptPrograms.all {
            guard let program = CallProgram(text: kept.text) else { continue }
            let comparison = CallComparison(program, way: way)
            #expect(comparison.difference == nil, "\(kept.about)\n\(comparison.report)")
        }
    }

    @Test func recordsOfADatabaseCarryWhatContainersWrite() async {
        var generator = SplitMix64(seed: Self.seed)
        let random = (0..<200).map { _ in CallProgram.random(&generator) }
        for program in KeptPrograms.all.compactMap({ CallProgram(text: $0.text) }) + random {
            let comparison = await CallComparison.inDatabase(program)
            #expect(comparison.difference == nil, "\(comparison.report)")
        }
    }

    /// Types keep their encoders, decoders and containers, use those of ended calls, and run programs in the middle of others.
    @Test func keptAndReenteredCodersChangeNoOtherCall() {
        var generator = SplitMix64(seed: Self.seed)
        let disturbance = CallDisturbance(seed: Self.seed)
        for _ in 0..<500 {
            let program = CallProgram.random(&generator)
            let comparison = CallComparison(program, disturbance)
            if let difference = comparison.difference ?? disturbance.difference {
                Issue.record("program \(program.text): \(difference)\n\(comparison.report)")
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
}

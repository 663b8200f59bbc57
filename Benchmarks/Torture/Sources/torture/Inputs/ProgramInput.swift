@testable import TestSupport

/// Bytes that are a program of container calls, see CallProgram, which is run with the coders of JSON and with those of
/// records.
///
/// They must agree on every value, on which calls throw, and on coding paths. CallMachine, CallReader, CallWriter and
/// CallComparison state the exceptions.
///
/// A program that breaks this is printed as a word of hexadecimal digits, which the tests take, see ContainerCallTests.
/// Programs run one after the other in one process, and can disturb each other, see CallDisturbance.
enum ProgramInput {
    private static let disturbance = CallDisturbance(seed: 1)

    /// Runs a program.
    static func check(_ input: [UInt8]) {
        let program = CallProgram(input)
        let comparison = CallComparison(program, disturbance)
        if let difference = comparison.difference {
            guard CallComparison(program).difference != nil else {
                let about = "program \(program.text), only after and in the middle of others"
                fail("\(comparison.report)\n\n\(difference)\n\(about)")
            }
            let small = program.shrunk { CallComparison($0).difference != nil }
            let report = CallComparison(small)
            fail("\(report.report)\n\n\(report.difference ?? "")\nprogram \(small.text)")
        }
        if let difference = disturbance.difference { fail("in the middle of another program: \(difference)") }
        disturbance.add(program)
    }

    /// The first programs.
    static func seeds() -> [[UInt8]] { KeptPrograms.all.compactMap { CallProgram(text: $0.text)?.bytes } }
}

/// Bytes that are a program of container calls, see CallProgram, which is run with the coders of JSON and with those of
/// records.
///
/// They must agree on every value, on which calls throw, and on coding paths. What they need not agree on is
/// stated where CallMachine, CallReader, CallWriter and CallComparison leave it out.
///
/// A program that breaks this is printed as a word of hexadecimal digits, which the tests take, see ContainerCallTests.
enum ProgramInput {
    /// Runs a program.
    static func check(_ input: [UInt8]) {
        let program = CallProgram(input)
        let comparison = CallComparison(program)
        guard let difference = comparison.difference else { return }
        fail("\(comparison.report)\n\n\(difference)\nprogram \(program.text)")
    }

    /// The first programs.
    static func seeds() -> [[UInt8]] { KeptPrograms.all.compactMap { CallProgram(text: $0.text)?.bytes } }
}

import Foundation

/// What the executable does when it runs under valgrind.
public enum InstructionChild {
    private static let command = "count-instructions"

    static func arguments(for work: String, rounds: Int) -> [String] { [command, work, String(rounds)] }

    /// Does the work that the arguments of the program name, if they do, and ends the program; else does nothing.
    ///
    /// - Parameter work: Finds the work with a name.
    public static func runIfAsked(_ work: (_ name: String) throws -> Work?) throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, arguments[1] == command, let rounds = Int(arguments[3]) else { return }
        guard let work = try work(arguments[2]) else { exit(2) }
        try work.run(rounds: rounds)
        exit(0)
    }
}

import Foundation

/// The role of the executable under valgrind.
public enum InstructionChild {
    private static let command = "count-instructions"

    static func arguments(for work: String, rounds: Int) -> [String] { [command, work, String(rounds)] }

    /// Does the work that the program's arguments name, and ends the program; does nothing without such arguments.
    ///
    /// - Parameter work: Returns the work with a name.
    public static func runIfAsked(_ work: (_ name: String) throws -> Work?) throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, arguments[1] == command, let rounds = Int(arguments[3]) else { return }
        guard let work = try work(arguments[2]) else { exit(2) }
        try work.run(rounds: rounds)
        exit(0)
    }
}

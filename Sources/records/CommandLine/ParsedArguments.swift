/// The values of the options and arguments of a command.
struct ParsedArguments: Sendable {
    /// The program that the command belongs to.
    let program: Program

    /// The command.
    let command: Command

    /// The streams to print to.
    let console: Console

    private let values: [String: [String]]

    init(program: Program, command: Command, console: Console, values: [String: [String]]) {
        self.program = program
        self.command = command
        self.console = console
        self.values = values
    }

    /// All values of an option or an argument, in order, or its default.
    ///
    /// - Throws: `UsageError` if the command has no option or argument of this name.
    func texts(_ name: String) throws -> [String] {
        if let values = values[name] { return values }
        if let option = command.allOptions.first(where: { $0.name == name }) {
            return option.defaultValue.map { [$0] } ?? []
        }
        guard command.arguments.contains(where: { $0.name == name }) else {
            throw UsageError("'\(command.name)' has no option or argument '\(name)'")
        }
        return []
    }

    /// The value of an option or an argument, or its default.
    ///
    /// - Throws: `UsageError` if the value is missing.
    func text(_ name: String) throws -> String {
        guard let text = try textIfPresent(name) else { throw UsageError("\(title(name)) is missing") }
        return text
    }

    /// The value of an option or an argument, or its default; nil without both.
    ///
    /// - Throws: `UsageError` if the command has no option or argument of this name.
    func textIfPresent(_ name: String) throws -> String? {
        try texts(name).first
    }

    /// Whether the user gave an option or an argument.
    func isGiven(_ name: String) -> Bool { values[name] != nil }

    /// Whether a flag is given.
    ///
    /// - Throws: `UsageError` if the command has no flag of this name.
    func flag(_ name: String) throws -> Bool {
        guard command.allOptions.contains(where: { $0.name == name && !$0.takesValue }) else {
            throw UsageError("'\(command.name)' has no flag '--\(name)'")
        }
        return values[name] != nil
    }

    /// The value of an option or an argument as an integer, or its default.
    ///
    /// - Throws: `UsageError` if the value is missing, or is not an integer in the range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int {
        guard let integer = try integerIfPresent(name, in: range) else {
            throw UsageError("\(title(name)) is missing")
        }
        return integer
    }

    /// The value of an option or an argument as an integer, or its default; nil without both.
    ///
    /// - Throws: `UsageError` if the value is not an integer in the range.
    func integerIfPresent(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try textIfPresent(name) else { return nil }
        guard let integer = Int(text), range.contains(integer) else {
            let allowed =
                range.upperBound == .max
                ? "an integer from \(range.lowerBound) on"
                : "an integer from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("\(title(name)) is \(allowed), not '\(text)'")
        }
        return integer
    }

    /// The name of an option or an argument in errors.
    func title(_ name: String) -> String {
        command.allOptions.contains { $0.name == name } ? "option '--\(name)'" : name
    }
}

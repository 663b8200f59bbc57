/// A shell with a completion script.
enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The completion script for the commands, options and arguments of a program.
    func text(for program: Program) -> String {
        switch self {
        case .bash: BashCompletion(program: program).script
        case .zsh: ZshCompletion(program: program).script
        case .fish: FishCompletion(program: program).script
        }
    }
}

extension Program {
    /// The commands for completion, including `help`, which is not a declared command.
    var completedCommands: [Command] {
        let topic = Command.Argument(
            "COMMAND", "The command to show the help of.", .optional,
            kind: .choice(shownCommands.map(\.name) + guides.map(\.name)))
        let help = Command(name: "help", summary: "Shows the help of a command", examples: [], arguments: [topic]) {
            _ in .done
        }
        return shownCommands + [help]
    }

    /// The program name in the form for shell functions.
    var functionName: String {
        let scalars = name.unicodeScalars.map { $0.isASCII && $0.properties.isXIDContinue ? $0 : "_" }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension String {
    /// This text as one word of bash and zsh.
    var shellQuoted: String { "'" + escaping("'", with: #"'\'"#) + "'" }

    /// This text as one word of fish.
    var fishQuoted: String { "'" + escaping(#"'\"#, with: #"\"#) + "'" }
}

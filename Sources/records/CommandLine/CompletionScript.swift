/// A shell that completion scripts are written for.
enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The script that completes the commands, options and arguments of a program, from their declarations.
    func text(for program: Program) -> String {
        switch self {
        case .bash: BashCompletion(program: program).script
        case .zsh: ZshCompletion(program: program).script
        case .fish: FishCompletion(program: program).script
        }
    }
}

extension Program {
    /// The commands as completion knows them: `help`, which is no declared command, among them.
    var completedCommands: [Command] {
        let topic = Command.Argument(
            "COMMAND", "The command to show the help of.", .optional, kind: .choice(commands.map(\.name)))
        let help = Command(name: "help", summary: "Show the help of a command", examples: [], arguments: [topic]) {
            _ in .done
        }
        return commands + [help]
    }

    /// The name as a part of the names of shell functions.
    var functionName: String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}

extension String {
    /// This text as one word of bash and zsh.
    var shellQuoted: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// This text as one word of fish.
    var fishQuoted: String {
        "'" + String(flatMap { $0 == "'" || $0 == #"\"# ? [#"\"#, $0] : [$0] }) + "'"
    }
}

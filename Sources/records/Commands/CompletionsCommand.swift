extension Command {
    /// Prints completion scripts.
    static let completions = Command(
        name: "completions",
        summary: "Prints the completion script for a shell",
        discussion: """
            In bash, add the line of the first example to ~/.bashrc. In zsh, save the script as _records in a folder of
            fpath, or add the same line with zsh to ~/.zshrc, after compinit. In fish, save it as
            ~/.config/fish/completions/records.fish.
            """,
        examples: [
            Example("source <(records completions bash)", "Completion in this bash"),
            Example("records completions fish | source", "Completion in this fish"),
        ],
        arguments: [
            Argument("SHELL", "The shell.", kind: .choice(CompletionScript.allCases.map(\.rawValue)))
        ]
    ) { arguments in
        let shell = try arguments.text("SHELL")
        guard let script = CompletionScript(rawValue: shell) else {
            throw UsageError.unknown("shell", shell, known: CompletionScript.allCases.map(\.rawValue))
        }
        try arguments.console.output.write(script.text(for: arguments.program))
        return .done
    }
}

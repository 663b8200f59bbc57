extension Command {
    /// Prints the words that can stand at the cursor, for the completion scripts.
    static let complete = Command(
        name: "complete",
        summary: "Prints the words that complete a word",
        discussion: """
            The completion scripts call this command. It prints what the last word, which may be empty, can become: one on
            each line, perhaps with a tab and its meaning; nothing in case of an error. It reads a large file for at most
            0.25 seconds, and prints at most 100 IDs. The exit code is 1 if a file can stand there.
            """,
        examples: [Example("records complete -- get school.records Per", "The IDs that begin with Per")],
        arguments: [Argument("WORD", "The words of a command line, up to the cursor.", .any)],
        isHidden: true
    ) { arguments in
        let word = WordAtCursor(try arguments.texts("WORD"), of: arguments.program)
        if word.kind == .file { return .found }
        func write(_ value: String, _ end: String) throws {
            // A line is a value: no value with a line break can be typed.
            guard value.visible.hasBytes(of: value) else { return }
            try arguments.console.output.write(word.head + value + end + "\n")
        }
        for (choice, meaning) in word.choices where choice.utf8.starts(with: word.text.utf8) {
            try write(choice, meaning.isEmpty ? "" : "\t\(meaning)")
        }
        for value in await FieldCatalog.completions(of: word, within: .milliseconds(250)) { try write(value, "") }
        return .done
    }
}

extension Command {
    /// Prints the values that can complete a word, for the completion scripts.
    static let complete = Command(
        name: "complete",
        summary: "Prints the types, fields and IDs that complete a word",
        discussion: """
            The completion scripts call this command. It prints values of the last word, which may be empty, one on
            each line; nothing in case of an error. It reads a large file for at most 0.25 seconds, and prints at most 100
            IDs.
            """,
        examples: [Example("records complete -- get school.records Per", "The IDs that begin with Per")],
        arguments: [Argument("WORD", "The words of a command line, up to the cursor.", .any)],
        isHidden: true
    ) { arguments in
        guard let word = WordAtCursor(try arguments.texts("WORD"), of: arguments.program) else { return .done }
        for value in await FieldCatalog.completions(of: word, within: .milliseconds(250)) {
            // A line is a value: no value with a line break can be typed.
            if value.visible.utf8.elementsEqual(value.utf8) { try arguments.console.output.write(value + "\n") }
        }
        return .done
    }
}

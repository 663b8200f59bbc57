import NestedRecords

extension Command.Argument {
    /// The records to read.
    static let records = Command.Argument(
        "FILE", "A record file, a file of typed JSON lines, or '-' for lines on standard input.", kind: .file)

    /// A record file to change.
    static let recordFile = Command.Argument("FILE", "A record file.", kind: .file)
}

extension ParsedArguments {
    /// The input that an argument names.
    ///
    /// - Throws: `UsageError`, ``InputError``, and `RecordDatabaseError` of a record file.
    func input(_ name: String = "FILE") throws -> RecordInput { try RecordInput(try text(name)) }

    /// An ID that the user gave.
    ///
    /// - Throws: `UsageError` if the text is not an ID.
    func id(_ text: String) throws -> Record.ID {
        do {
            return try Record.ID(text)
        } catch {
            throw UsageError("'\(text)' is not an ID such as Person/ada: \(ErrorLine.text(of: error))")
        }
    }

    /// A bar for long work; none where the output itself goes to the terminal.
    func progress(_ title: String, unit: String = "records", total: Int? = nil) -> ProgressBar? {
        console.outputTerminal.isTerminal ? nil : ProgressBar(title, unit: unit, total: total, on: console.statusLine)
    }
}

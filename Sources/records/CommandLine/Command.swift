/// A command of the tool, as data: parsing, help, errors and completion all come from this.
struct Command: Sendable {
    /// The word that it is called by.
    var name: String

    /// What it does, in one line without a full stop.
    var summary: String

    /// What else there is to know, in paragraphs separated by empty lines.
    var discussion = ""

    /// Command lines that show its use.
    var examples: [Example]

    /// The positional arguments.
    var arguments: [Argument] = []

    /// The options of this command; every command also has `--help`.
    var options: [Option] = []

    /// What can be written in the value of an option.
    var topics: [Topic] = []

    /// Does the work.
    ///
    /// - Parameter arguments: What the user gave, and the streams to print to.
    /// - Returns: The status that the process ends with.
    /// - Throws: Errors, which the program prints on one line.
    var run: @Sendable (_ arguments: ParsedArguments) async throws -> ExitStatus

    /// A table of the help.
    struct Topic: Sendable {
        /// What it is about, in a word.
        var title: String

        /// What can be written, and what it means.
        var rows: [(form: String, meaning: String)]
    }

    /// A command line, and what it shows.
    struct Example: Sendable {
        /// The whole line, with the program's name.
        var line: String

        /// What it does, in one line without a full stop.
        var shows: String

        init(_ line: String, _ shows: String) {
            self.line = line
            self.shows = shows
        }
    }
}

/// The values that an argument or an option takes: what is checked, and what a shell completes.
enum ValueKind: Sendable, Equatable {
    /// Any text.
    case text
    /// The path of a file.
    case file
    /// One of these words.
    case choice([String])
}

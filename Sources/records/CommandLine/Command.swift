/// The declaration of a command, from which parsing, help, errors and completion are derived.
struct Command: Sendable {
    /// The name on the command line.
    var name: String

    /// The summary, in one line without a full stop.
    var summary: String

    /// The details, in paragraphs separated by empty lines.
    var discussion = ""

    /// Examples of its use.
    var examples: [Example]

    /// The positional arguments.
    var arguments: [Argument] = []

    /// The options of this command; every command also has `--help`.
    var options: [Option] = []

    /// Whether the exit status is 1 for findings, and 2 for an error.
    var isCheck = false

    /// Whether long output is shown in a pager.
    var isPaged = false

    /// Whether help and completion leave it out.
    var isHidden = false

    /// Runs the command.
    ///
    /// - Parameter arguments: The parsed arguments, and the streams to print to.
    /// - Returns: The exit status of the process.
    /// - Throws: Errors, which the program prints on one line.
    var run: @Sendable (_ arguments: ParsedArguments) async throws -> ExitStatus

    /// A command line, and its description.
    struct Example: Sendable {
        /// The whole line, with the program's name.
        var line: String

        /// The description, in one line without a full stop.
        var shows: String

        init(_ line: String, _ shows: String) {
            self.line = line
            self.shows = shows
        }
    }
}

/// The kind of an argument or an option value, for checking and completion.
enum ValueKind: Sendable, Equatable {
    /// Any text.
    case text
    /// The path of a file.
    case file
    /// One of these words.
    case choice([String])
    /// The type of a record in the file of the first argument.
    case type
    /// A field of such a record, of the type in the option `--type` if there is one.
    case field
    /// Such fields with commas between them.
    case fields
    /// The ID of such a record.
    case id

    /// Whether the values depend on the records.
    var isOfRecords: Bool { [.type, .field, .fields, .id].contains(self) }
}

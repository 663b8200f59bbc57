/// The help text, derived from the declarations of the commands.
struct HelpText {
    private static let widest = 100
    private static let narrowest = 40

    /// The width from which descriptions are beside long names; below it they are on the next lines.
    private static let widthForColumns = 60

    private let program: Program
    private let terminal: Terminal
    private let width: Int

    /// Formats for a terminal, or for 80 columns if its width is unknown.
    init(program: Program, terminal: Terminal) {
        self.program = program
        self.terminal = terminal
        width = max(Self.narrowest, min(Self.widest, terminal.width ?? 80))
    }

    /// The help of the program.
    func text() -> String {
        var text = "\(program.summary).\n"
        text += section("Usage", ["COMMAND …", "FILE", "help COMMAND"].map { "  \(program.name) \($0)" })
        text += section(
            "Commands",
            rows(program.shownCommands.map { ($0.name, $0.summary) } + [("help", "Shows the help of a command")])
        )
        if !program.guides.isEmpty {
            text += section("Guides", rows(program.guides.map { ("help \($0.name)", $0.summary) }))
        }
        let options = [("-h, --help", "Show this help."), ("    --version", "Show the version.")]
        text += section("Options", rows(options))
        if let example = program.shownCommands.lazy.compactMap(\.examples.first).first {
            text += section("Example", self.example(example))
        }
        return text
    }

    /// The help of a command.
    func text(of command: Command) -> String {
        var text = "\(command.summary).\n"
        text += section("Usage", usage(of: command))
        for paragraph in command.discussion.paragraphs {
            text += "\n" + paragraph.wrapped(to: width).map { $0 + "\n" }.joined()
        }
        let arguments = command.arguments.map { ($0.usage, Self.right(of: $0)) }
        if !arguments.isEmpty { text += section("Arguments", rows(arguments)) }
        text += section("Options", rows(command.allOptions.map { (Self.left(of: $0), Self.right(of: $0)) }))
        if !command.examples.isEmpty {
            text += section(
                command.examples.count == 1 ? "Example" : "Examples", command.examples.flatMap(example))
        }
        return text
    }

    /// A guide.
    func text(of guide: Guide) -> String {
        let sections = guide.tables.map { section($0.title, rows($0.rows.map { ($0.form, $0.meaning) })) }
        return String(sections.joined().unicodeScalars.dropFirst())
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        "\n\(terminal.bold("\(title):"))\n" + lines.map { $0 + "\n" }.joined()
    }

    private func usage(of command: Command) -> [String] {
        let start = "  \(program.name) \(command.name) "
        let words = (["[OPTION…]"] + command.arguments.map(\.usage)).joined(separator: " ")
        return words.wrapped(to: width - start.count).enumerated().map { index, line in
            (index == 0 ? start : String(repeating: " ", count: start.count)) + line
        }
    }

    private func example(_ example: Command.Example) -> [String] {
        "\(example.shows):".wrapped(to: width - 2).map { "  " + $0 } + ["    \(example.line)"]
    }

    private static func left(of option: Command.Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        return letter + "--\(option.name)" + (option.valueName.map { " \($0)" } ?? "")
    }

    /// The description of an argument, with its choices.
    static func right(of argument: Command.Argument) -> String { argument.help + note(choices: argument.kind) }

    /// The description of an option, with its choices and its default.
    static func right(of option: Command.Option) -> String {
        var text = option.help + note(choices: option.kind)
        if option.isRepeatable { text += " Repeatable." }
        if let value = option.defaultValue { text += " Default: \(value)." }
        return text
    }

    private static func note(choices kind: ValueKind) -> String {
        guard case .choice(let choices) = kind else { return "" }
        return " One of \(choices.joined(separator: ", "))."
    }

    private func rows(_ rows: [(left: String, right: String)]) -> [String] { Self.rows(rows, within: width) }

    /// Two columns: names and their descriptions.
    ///
    /// Long names have a line of their own; in a narrow terminal all names of a table with a long one.
    static func rows(_ rows: [(left: String, right: String)], within width: Int) -> [String] {
        let widestLeft = width / 3
        if width < widthForColumns, rows.contains(where: { $0.left.displayWidth > widestLeft }) {
            return rows.flatMap { row in
                row.left.wrapped(to: width - 2).map { "  " + $0 }
                    + row.right.wrapped(to: width - 6).map { String(repeating: " ", count: 6) + $0 }
            }
        }
        let left = rows.map(\.left.displayWidth).filter { $0 <= widestLeft }.max() ?? widestLeft
        let indentation = String(repeating: " ", count: left + 4)
        return rows.flatMap { row in
            var lines = row.right.wrapped(to: width - left - 4)
            let start = "  " + row.left
            let first =
                row.left.displayWidth > left || lines.isEmpty
                ? start : start.padded(to: left + 4) + lines.removeFirst()
            return [first] + lines.map { indentation + $0 }
        }
    }
}

extension String {
    /// The paragraphs, separated by empty lines.
    var paragraphs: [String] {
        var paragraphs: [String] = []
        var open: [Substring] = []
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
        for line in lines + [Substring()] {
            if !line.isEmpty {
                open.append(line)
            } else if !open.isEmpty {
                paragraphs.append(open.joined(separator: " "))
                open = []
            }
        }
        return paragraphs
    }
}

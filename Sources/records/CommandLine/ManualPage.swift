/// The manual page in the macros of `man(7)`, derived from the declarations of the commands.
struct ManualPage {
    /// The maximum number of characters of a line of prose, before escapes.
    private static let width = 72

    private let program: Program

    /// The day on the page, as in `2030-01-31`.
    private let day: String

    init(program: Program, day: String) { (self.program, self.day) = (program, day) }

    /// The page.
    var text: String {
        let name = program.name
        var lines = [".TH \(name.uppercased()) 1 \(day) \"\(name) \(program.version)\" \"User Commands\""]
        lines += [".SH NAME", "\(name) \\- \(Self.escaped(program.summary))"]
        lines += [".SH SYNOPSIS"]
        lines += ["\(Self.bold(name)) \(Self.escaped("COMMAND [OPTION…] [ARGUMENT…]"))"]
        lines += [".br", "\(Self.bold(name)) help \(Self.escaped("COMMAND"))"]
        lines.append(".SH COMMANDS")
        for command in program.shownCommands { lines += text(of: command) }
        for table in program.guides.flatMap(\.tables) {
            lines.append(".SH \(Self.escaped(table.title.uppercased()))")
            for row in table.rows { lines += Self.item(Self.bold(row.form), row.meaning) }
        }
        lines.append(".SH EXIT STATUS")
        for (status, meaning) in Self.statuses { lines += Self.item("\(status.rawValue)", meaning) }
        lines.append(".SH ENVIRONMENT")
        for (variable, meaning) in Self.variables { lines += Self.item(Self.bold(variable), meaning) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let statuses: [(ExitStatus, String)] = [
        (.done, "The command succeeded, and a check found nothing."),
        (.failed, "The command failed, or found a problem or a difference."),
        (.usage, "The command line is wrong, or a check could not be made."),
        (.interrupted, "The user interrupted the command."),
    ]

    private static let variables = [
        ("RECORDS_PAGER, PAGER", "The pager for output that is longer than the screen; empty or 'cat' for none."),
        ("NO_COLOR", "If it is not empty, nothing is bold or coloured."),
        ("VISUAL, EDITOR", "The editor of 'edit'."),
    ]

    private func text(of command: Command) -> [String] {
        let words = ["[OPTION…]"] + command.arguments.map(\.usage)
        var lines = [".SS \(command.name)", Self.bold("\(program.name) \(command.name)") + " " + Self.escaped(words)]
        for paragraph in [command.summary + "."] + command.discussion.paragraphs {
            lines.append(".PP")
            lines += Self.prose(paragraph)
        }
        for argument in command.arguments {
            lines += Self.item(Self.italic(argument.name), HelpText.right(of: argument))
        }
        for option in command.allOptions {
            let spellings = option.spellings.map(Self.bold).joined(separator: ", ")
            lines += Self.item(
                spellings + (option.valueName.map { " " + Self.italic($0) } ?? ""), HelpText.right(of: option))
        }
        for example in command.examples {
            lines += [".PP", Self.escaped("\(example.shows):"), ".PP", ".RS 4", ".nf", Self.escaped(example.line)]
            lines += [".fi", ".RE"]
        }
        return lines
    }

    private static func item(_ form: String, _ meaning: String) -> [String] { [".TP", form] + prose(meaning) }

    private static func prose(_ text: String) -> [String] { text.wrapped(to: width).map(escaped) }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    private static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    private static func escaped(_ words: [String]) -> String { escaped(words.joined(separator: " ")) }

    /// Text of which roff changes nothing.
    private static func escaped(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": line += "\\e"
            case "-": line += "\\-"
            case "'": line += "\\(aq"
            case "`": line += "\\(ga"
            case "^": line += "\\(ha"
            case "~": line += "\\(ti"
            case "\"": line += "\\(dq"
            case _ where scalar.isASCII: line.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                line += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + "]"
            }
        }
        // A line that begins with a full stop is a request.
        return line.utf8.first == UInt8(ascii: ".") ? "\\&" + line : line
    }
}

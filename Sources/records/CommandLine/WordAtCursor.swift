/// The word of a command line that a shell completes: its kind, what can stand there, and the words before it.
///
/// The command line is not complete, so that unknown options and missing values are not errors.
struct WordAtCursor {
    /// The kind of the value; text if only some words can stand there.
    private(set) var kind = ValueKind.text

    /// The typed part of the value.
    private(set) var text: String

    /// The typed part before the value: an option with its equals sign.
    private(set) var head = ""

    /// The words that can stand there, with their meanings.
    private(set) var choices: [(word: String, meaning: String)] = []

    /// The values before the word, by the name of their option or argument.
    private(set) var values: [String: [String]] = [:]

    /// The path of the records: the value of the first argument, which is a file in all commands that read records.
    private(set) var path: String?

    /// Finds what a word can be.
    ///
    /// - Parameter words: The words after the program's name; the last one is completed, and may be empty.
    init(_ words: [String], of program: Program) {
        text = words.last ?? ""
        let isOption = text.utf8.first == UInt8(ascii: "-")
        guard words.count > 1 else {
            if words.isEmpty { return }
            choices =
                isOption
                ? [("--help", "Show help"), ("--version", "Show the version")]
                : program.completedCommands.map { ($0.name, $0.summary) }
            return
        }
        guard let command = program.completedCommands.first(where: { $0.name == words[0] }) else { return }
        func option(_ spelling: String) -> Command.Option? {
            command.allOptions.first { $0.spellings.contains(spelling) }
        }
        var (places, hasEnded): ([String], Bool) = ([], false)
        /// The option that takes the next word.
        var open: Command.Option?
        for word in words[1..<(words.count - 1)] {
            if let option = open {
                values[option.name, default: []].append(word)
                open = nil
            } else if !hasEnded, word == "--" {
                hasEnded = true
            } else if !hasEnded, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
                let (spelling, value) = Self.parts(of: word)
                guard let option = option(spelling) else { continue }
                if let value {
                    values[option.name, default: []].append(value)
                } else if option.takesValue {
                    open = option
                }
            } else {
                places.append(word)
            }
        }
        func argument(at index: Int) -> Command.Argument? {
            if index < command.arguments.count { return command.arguments[index] }
            return command.arguments.last.flatMap { $0.occurrence.isRepeatable ? $0 : nil }
        }
        for (index, place) in places.enumerated() {
            if let argument = argument(at: index) { values[argument.name, default: []].append(place) }
        }
        if let first = command.arguments.first, first.kind == .file { path = values[first.name]?.first }
        let (spelling, value) = Self.parts(of: text)
        if let open {
            kind = open.kind
        } else if !hasEnded, let value, let option = option(spelling) {
            (kind, text, head) = (option.kind, value, spelling + "=")
        } else if !hasEnded, isOption {
            choices = command.allOptions.map { ("--\($0.name)", $0.help) }
        } else if let argument = argument(at: places.count) {
            kind = argument.kind
        }
        if case .choice(let words) = kind { choices = words.map { ($0, "") } }
    }

    /// An option, and its value after an equals sign if it has one.
    private static func parts(of word: String) -> (spelling: String, value: String?) {
        guard word.utf8.starts(with: "--".utf8) else { return (word, nil) }
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension Program {
    /// The commands for completion, including `help`, which is not a declared command.
    fileprivate var completedCommands: [Command] {
        let topic = Command.Argument(
            "COMMAND", "The command to show the help of.", .optional,
            kind: .choice(shownCommands.map(\.name) + guides.map(\.name)))
        let help = Command(name: "help", summary: "Shows the help of a command", examples: [], arguments: [topic]) {
            _ in .done
        }
        return shownCommands + [help]
    }
}

/// The word of a command line that a shell completes: its kind, and the words before it.
///
/// The command line is not complete, so that unknown options and missing values are not errors.
struct WordAtCursor {
    /// The command.
    let command: Command

    /// The kind of the value.
    let kind: ValueKind

    /// The typed part of the value.
    let text: String

    /// The values before the word, by the name of their option or argument.
    let values: [String: [String]]

    /// Finds the word.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name; the last one is completed, and may be empty.
    ///   - program: The program.
    /// - Returns: nil if no value is expected there.
    init?(_ words: [String], of program: Program) {
        guard let name = words.first, let last = words.last, words.count > 1, let command = program.command(named: name)
        else { return nil }
        var values: [String: [String]] = [:]
        var places: [String] = []
        var hasEnded = false
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
                guard let option = command.allOptions.first(where: { $0.spellings.contains(spelling) }) else {
                    continue
                }
                if let value {
                    values[option.name, default: []].append(value)
                } else if option.takesValue {
                    open = option
                }
            } else {
                places.append(word)
            }
        }
        for (index, place) in places.enumerated() {
            guard let argument = Self.argument(at: index, of: command) else { break }
            values[argument.name, default: []].append(place)
        }
        self.command = command
        self.values = values
        let (spelling, value) = Self.parts(of: last)
        if let open {
            (kind, text) = (open.kind, last)
        } else if !hasEnded, let value,
            let option = command.allOptions.first(where: { $0.spellings.contains(spelling) })
        {
            (kind, text) = (option.kind, value)
        } else if let argument = Self.argument(at: places.count, of: command) {
            (kind, text) = (argument.kind, last)
        } else {
            return nil
        }
    }

    /// The path of the records: the value of the first argument, which is a file in all commands that read records.
    var path: String? {
        guard let argument = command.arguments.first, argument.kind == .file else { return nil }
        return values[argument.name]?.first
    }

    private static func argument(at index: Int, of command: Command) -> Command.Argument? {
        if index < command.arguments.count { return command.arguments[index] }
        return command.arguments.last.flatMap { $0.occurrence.isRepeatable ? $0 : nil }
    }

    /// An option, and its value after an equals sign if it has one.
    private static func parts(of word: String) -> (spelling: String, value: String?) {
        guard word.utf8.starts(with: "--".utf8) else { return (word, nil) }
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }
}

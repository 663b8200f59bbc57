/// Parses the words after a command's name.
struct ArgumentParser {
    /// The command that declares the options.
    let command: Command

    /// The values by the name of their option or argument.
    private var values: [String: [String]] = [:]
    private var places: [String] = []

    private init(_ command: Command) {
        self.command = command
    }

    /// Parses a command line.
    ///
    /// - Returns: The values by the name of their option or argument; nil for a request for help. A flag has one empty
    ///   value.
    static func parse(_ words: [String], for command: Command) throws -> [String: [String]]? {
        var parser = ArgumentParser(command)
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                parser.places += rest
                break
            } else if word.utf8.starts(with: "--".utf8) {
                try parser.readLong(word, &rest)
            } else if word.isShortOptions {
                try parser.readShort(word, &rest)
            } else {
                parser.places.append(word)
            }
            if parser.values[Command.Option.help.name] != nil { return nil }
        }
        try parser.assignPlaces()
        return parser.values
    }

    private mutating func readLong(_ word: String, _ rest: inout ArraySlice<String>) throws {
        // Not as characters: a value may begin with a combining mark.
        let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let spelling = String(parts[0])
        guard let option = command.allOptions.first(where: { "--\($0.name)" == spelling }) else {
            throw UsageError.unknown("option", spelling, known: command.allOptions.map { "--\($0.name)" })
        }
        if option.takesValue {
            try add(option, spelling, parts.count > 1 ? String(parts[1]) : next(for: option, spelling, &rest))
        } else if parts.count > 1 {
            throw UsageError("option '\(spelling)' takes no value")
        } else {
            try add(option, spelling, "")
        }
    }

    private mutating func readShort(_ word: String, _ rest: inout ArraySlice<String>) throws {
        // Not as characters: a value may begin with a combining mark.
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let spelling = "-\(letter)"
            guard let option = command.allOptions.first(where: { $0.letter == letter }) else {
                // `-format` is more likely a typing error than several flags.
                let hint = Spelling.question("-\(word)", in: command.allOptions.map { "--\($0.name)" })
                throw UsageError("unknown option '\(hint.isEmpty ? spelling : word)'\(hint)")
            }
            guard option.takesValue else {
                try add(option, spelling, "")
                continue
            }
            if let scalar = letters.first, scalar == "=" {
                letters = letters.dropFirst()
            } else if letters.isEmpty {
                return try add(option, spelling, next(for: option, spelling, &rest))
            }
            return try add(option, spelling, String(letters))
        }
    }

    /// The next word as the value of an option.
    private func next(
        for option: Command.Option, _ spelling: String, _ rest: inout ArraySlice<String>
    ) throws -> String {
        guard let word = rest.first, !word.utf8.starts(with: "--".utf8), !word.isShortOptions else {
            let found = rest.first.map { "; for the value '\($0)' write '--\(option.name)=\($0)'" } ?? ""
            throw UsageError("option '\(spelling)' needs a value, \(option.valueName ?? "")\(found)")
        }
        rest = rest.dropFirst()
        return word
    }

    private mutating func add(_ option: Command.Option, _ spelling: String, _ value: String) throws {
        if values[option.name] != nil, !option.isRepeatable {
            throw UsageError("option '\(spelling)' is given twice")
        }
        try check(value, of: "option '\(spelling)'", option.kind)
        values[option.name, default: []].append(value)
    }

    private func check(_ value: String, of owner: String, _ kind: ValueKind) throws {
        guard case .choice(let choices) = kind, !choices.contains(value) else { return }
        throw UsageError(
            "\(owner) is one of \(choices.joined(separator: ", ")), not '\(value)'"
                + Spelling.question(value, in: choices))
    }

    /// Assigns the positional words to the arguments in order; optional arguments get the words that others leave.
    private mutating func assignPlaces() throws {
        var rest = places[...]
        for (index, argument) in command.arguments.enumerated() {
            let needed = command.arguments[(index + 1)...].count { !$0.occurrence.isOptional }
            let available = max(0, rest.count - needed)
            let taken =
                switch argument.occurrence {
                case .required: min(1, rest.count)
                case .optional: min(1, available)
                case .repeated: max(available, min(1, rest.count))
                case .any: available
                }
            guard taken > 0 else {
                if argument.occurrence.isOptional { continue }
                throw UsageError("\(argument.name) is missing")
            }
            for word in rest.prefix(taken) {
                try check(word, of: argument.name, argument.kind)
                values[argument.name, default: []].append(word)
            }
            rest = rest.dropFirst(taken)
        }
        guard let word = rest.first else { return }
        let option = command.options.first { $0.kind == .type }
        let hint = option.map { "; a type is given as '--\($0.name) \(word)'" } ?? ""
        throw UsageError("unexpected argument '\(word)'\(hint)")
    }
}

extension String {
    /// Whether this is a dash with one or more letters, such as `-x`; not `-` alone or a negative number.
    fileprivate var isShortOptions: Bool {
        let bytes = utf8.prefix(2)
        guard bytes.count == 2, bytes.first == UInt8(ascii: "-"), let byte = bytes.last, byte != UInt8(ascii: "-")
        else { return false }
        return !"0123456789.".utf8.contains(byte) || Double(self) == nil
    }
}

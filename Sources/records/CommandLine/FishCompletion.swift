/// The completion script for fish.
struct FishCompletion {
    let program: Program

    private var start: String { "__\(program.functionName)_starts" }
    private var test: String { "__\(program.functionName)_at" }
    private var ask: String { "__\(program.functionName)_ask" }
    private var prefix: String { "complete -c \(program.name)" }

    /// The script.
    ///
    /// Two functions determine whether the cursor is before the command, or at which argument of it.
    var script: String {
        var lines = ["\(prefix) -f"]
        for command in program.completedCommands {
            lines.append(
                "\(prefix) -n \(start) -a \(command.name.fishQuoted) -d \(command.summary.fishQuoted)")
        }
        lines.append("\(prefix) -n \(start) -l help -s h -d 'Show help'")
        lines.append("\(prefix) -n \(start) -l version -d 'Show the version'")
        for command in program.completedCommands {
            lines += command.allOptions.map { declaration($0, of: command) }
            lines += command.arguments.enumerated().compactMap { declaration($1, at: $0, of: command) }
        }
        return """
            # Completion of \(program.name) for fish.
            # Try it with: \(program.name) completions fish | source

            function \(start)
                test (count (commandline -opc)) -eq 1
            end

            # Whether this is the command, and if a place is given, whether the cursor is at that argument (with a
            # plus sign after the number, also at a later one). The options that take a value follow.
            function \(test)
                set -l words (commandline -opc)
                test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"; or return 1
                test (count $argv) -ge 2; or return 0
                set -l place 0
                set -l skips 0
                set -l ended 0
                set -e words[1..2]
                for word in $words
                    if test $skips -eq 1
                        set skips 0
                    else if test $ended -eq 0; and test "$word" = --
                        set ended 1
                    else if test $ended -eq 0; and string match -qr -- '^-.' "$word"
                        contains -- "$word" $argv[3..-1]; and set skips 1
                    else
                        set place (math $place + 1)
                    end
                end
                if string match -q -- '*+' $argv[2]
                    test $place -ge (string replace -- + '' $argv[2])
                else
                    test $place -eq $argv[2]
                end
            end

            function \(ask)
                set -l words (commandline -opc)
                set -e words[1]
                \(program.name) complete -- $words (commandline -ct) 2>/dev/null
            end

            \(lines.joined(separator: "\n"))

            """
    }

    private func declaration(_ option: Command.Option, of command: Command) -> String {
        var words = [prefix, "-n", "\(test) \(command.name)".fishQuoted, "-l", option.name]
        if let letter = option.letter { words += ["-s", "\(letter)"] }
        if option.takesValue { words += value(option.kind) }
        return (words + ["-d", option.help.fishQuoted]).joined(separator: " ")
    }

    private func declaration(_ argument: Command.Argument, at index: Int, of command: Command) -> String? {
        let place = argument.occurrence.isRepeatable ? "\(index)+" : "\(index)"
        let options = command.allOptions.filter(\.takesValue).flatMap(\.spellings)
        let condition = (["\(test) \(command.name) \(place)"] + options).joined(separator: " ").fishQuoted
        switch argument.kind {
        case .text: return nil
        case .file: return "\(prefix) -n \(condition) -F"
        case .choice(let choices): return "\(prefix) -n \(condition) -a \(choices.joined(separator: " ").fishQuoted)"
        case .type, .field, .fields, .id: return "\(prefix) -n \(condition) -a '(\(ask))'"
        }
    }

    private func value(_ kind: ValueKind) -> [String] {
        switch kind {
        case .text: ["-x"]
        case .file: ["-r", "-F"]
        case .choice(let choices): ["-x", "-a", choices.joined(separator: " ").fishQuoted]
        case .type, .field, .fields, .id: ["-x", "-a", "'(\(ask))'"]
        }
    }
}

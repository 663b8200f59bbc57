/// The completion script for zsh.
struct ZshCompletion {
    let program: Program

    /// The script.
    ///
    /// It works both in a folder of `fpath` and when sourced.
    var script: String {
        let function = "_\(program.functionName)"
        let names = program.completedCommands.map { "\($0.name):\($0.summary)".shellQuoted }
        return """
            #compdef \(program.name)
            # Completion of \(program.name) for zsh.
            # Try it with: source <(\(program.name) completions zsh)

            \(function)_ask() {
                local -a found
                found=(${(f)"$(\(program.name) complete -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)"})
                # No space after a type whose names follow.
                compadd -S '' -- ${(M)found:#*/}
                compadd -- ${found:#*/}
            }

            \(function)() {
                if ((CURRENT == 2)); then
                    if [[ $words[2] == -* ]]; then
                        compadd -- --help --version
                        return
                    fi
                    local -a commands
                    commands=(
            \(names.map { "            \($0)" }.joined(separator: "\n"))
                    )
                    _describe -t commands command commands
                    return
                fi
                local command=$words[2]
                shift words
                ((CURRENT--))
                case $command in
            \(program.completedCommands.map(branch).joined(separator: "\n"))
                esac
            }

            if [[ $funcstack[1] == \(function) ]]; then
                \(function) "$@"
            else
                compdef \(function) \(program.name)
            fi

            """
    }

    private func branch(_ command: Command) -> String {
        let specifications =
            command.allOptions.flatMap(specifications) + command.arguments.enumerated().map(specification)
        let lines = specifications.map { "            \($0)" }.joined(separator: " \\\n")
        return "        \(command.name))\n            _arguments -s -S \\\n\(lines)\n            ;;"
    }

    private func specifications(_ option: Command.Option) -> [String] {
        option.spellings.map { spelling in
            let start =
                option.isRepeatable || option.spellings.count == 1
                ? (option.isRepeatable ? "*" : "") : "(\(option.spellings.joined(separator: " ")))"
            let end = option.valueName.map { ":\(Self.escaped($0)):\(action(option.kind))" } ?? ""
            let sign = !option.takesValue ? "" : spelling.utf8.starts(with: "--".utf8) ? "=" : "+"
            return "\(start)\(spelling)\(sign)[\(Self.escaped(option.help))]\(end)".shellQuoted
        }
    }

    private func specification(_ index: Int, _ argument: Command.Argument) -> String {
        let place =
            switch argument.occurrence {
            case .required: "\(index + 1):"
            case .optional: "\(index + 1)::"
            case .repeated, .any: "*:"
            }
        return "\(place)\(Self.escaped(argument.name)):\(action(argument.kind))".shellQuoted
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text: " "
        case .file: "_files"
        case .choice(let choices): "(\(choices.joined(separator: " ")))"
        case .type, .field, .fields, .id: "_\(program.functionName)_ask"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.escaping(#"[]:\"#, with: #"\"#)
    }
}

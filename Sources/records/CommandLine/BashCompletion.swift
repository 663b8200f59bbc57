/// The completion script for bash, from version 3.2 on.
struct BashCompletion {
    let program: Program

    /// The script.
    ///
    /// It parses the words before the cursor like the tool, to determine the words that can follow.
    var script: String {
        let function = "_\(program.functionName)"
        return """
            # Completion of \(program.name) for bash.
            # Try it with: source <(\(program.name) completions bash)

            \(function)_ask() {
                # Bash splits words at = and :, and leaves quotes in them.
                local -a given
                local index word glue='' head quotes=$'["\\'\\\\\\\\]'
                given=()
                for ((index = 1; index <= COMP_CWORD; index++)); do
                    word="${COMP_WORDS[index]}"
                    word="${word//$quotes/}"
                    if [[ ${#given[@]} -gt 0 && ( -n $glue || $word == [=:]* ) ]]; then
                        given[${#given[@]} - 1]+="$word"
                    else
                        given+=("$word")
                    fi
                    glue=''
                    [[ $word == *[!=:]* || -z $word ]] || glue=1
                done
                head="${given[${#given[@]} - 1]#--*=}"
                word="${current//$quotes/}"
                head="${head%"$word"}"
                while IFS= read -r word; do
                    word="${word#"$head"}"
                    # Within quotes the shell would read some other signs.
                    [[ $current == [\\"\\']* && $word == *[^[:alnum:]_./,:=+@%\\ -]* ]] && continue
                    if [[ $current != [\\"\\']* && $word == *[^[:alnum:]_./,:=+@%-]* ]]; then printf -v word %q "$word"; fi
                    [[ $word == */ ]] && compopt -o nospace 2>/dev/null
                    COMPREPLY+=("$prefix$word")
                done < <(\(program.name) complete -- "${given[@]}" 2>/dev/null)
            }

            \(function)() {
                local current="${COMP_WORDS[COMP_CWORD]}" command='' option='' prefix='' ended='' files=''
                local place=0 index=1 asks='' word
                local -a words
                words=()
                COMPREPLY=()
                while ((index < COMP_CWORD)); do
                    word="${COMP_WORDS[index]}"
                    if [[ $word == [=:] ]]; then
                        # Bash splits --name=value, and values with colons, into several words.
                        [[ -n $option ]] || ((index++))
                    elif [[ -n $option ]]; then
                        option=''
                    elif [[ -z $command ]]; then
                        command="$word"
                    elif [[ -z $ended && $word == -- ]]; then
                        ended=1
                    elif [[ -z $ended && $word == -?* ]]; then
                        case "$command $word" in
            \(valueOptions)
                        esac
                    else
                        ((place++))
                    fi
                    ((index++))
                done
                if [[ -n $option && $current == = ]]; then
                    current=''
                elif [[ -z $option && -z $ended && $current == --*=* ]]; then
                    option="${current%%=*}"
                    prefix="$option="
                    current="${current#*=}"
                fi
                case "$command $option" in
            \(candidates)
                esac
                for word in ${words[@]+"${words[@]}"}; do
                    [[ $word == "$current"* ]] && COMPREPLY+=("$prefix$word")
                done
                [[ -z $asks ]] || \(function)_ask
                [[ -n $files ]] || return 0
                if [[ -z $prefix ]] && compopt -o default 2>/dev/null; then
                    return 0
                fi
                while IFS= read -r word; do
                    COMPREPLY+=("$prefix$word")
                done < <(compgen -f -- "$current")
            }

            complete -F \(function) \(program.name)

            """
    }

    /// The branches that list the options which take the next word.
    private var valueOptions: String {
        let spellings = program.completedCommands.flatMap { command in
            command.allOptions.filter(\.takesValue).flatMap { patterns(command, $0) }
        }
        guard !spellings.isEmpty else { return line(4, "*) ;;") }
        return line(4, "\(spellings.joined(separator: " | "))) option=\"$word\" ;;")
    }

    private var candidates: String {
        let names = program.completedCommands.map(\.name) + ["--help", "--version"]
        var lines = [line(2, "' ') \(assignment(names)) ;;")]
        for command in program.completedCommands {
            for option in command.allOptions where option.takesValue && option.kind != .text {
                lines.append(
                    line(2, "\(patterns(command, option).joined(separator: " | "))) \(action(option.kind)) ;;"))
            }
            lines.append(line(2, "\("\(command.name) ".shellQuoted))"))
            lines.append(line(3, "if [[ -z $ended && $current == -* ]]; then"))
            lines.append(line(4, assignment(command.allOptions.map { "--\($0.name)" })))
            lines.append(line(3, "else"))
            lines.append(line(4, "case $place in"))
            for (index, argument) in command.arguments.enumerated() where argument.kind != .text {
                let pattern = argument.occurrence.isRepeatable ? "*" : "\(index)"
                lines.append(line(5, "\(pattern)) \(action(argument.kind)) ;;"))
            }
            lines.append(line(5, "*) ;;"))
            lines.append(line(4, "esac"))
            lines.append(line(3, "fi"))
            lines.append(line(3, ";;"))
        }
        return lines.joined(separator: "\n")
    }

    private func patterns(_ command: Command, _ option: Command.Option) -> [String] {
        option.spellings.map { "\(command.name) \($0)".shellQuoted }
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text: ":"
        case .file: "files=1"
        case .choice(let choices): assignment(choices)
        case .type, .field, .fields, .id: "asks=1"
        }
    }

    private func assignment(_ words: [String]) -> String {
        "words=(\(words.map(\.shellQuoted).joined(separator: " ")))"
    }

    private func line(_ level: Int, _ text: String) -> String {
        String(repeating: "    ", count: level) + text
    }
}

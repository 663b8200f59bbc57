/// A shell with a completion script, which asks the command `complete` what can stand at the cursor.
enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The completion script for a program.
    func text(for program: Program) -> String {
        let name = program.name
        return switch self {
        // From version 3.2 on.
        case .bash:
            """
            # Completion of \(name) for bash.
            # Try it with: source <(\(name) completions bash)

            _\(name)() {
                # Bash splits words at = and :, and leaves quotes in them.
                local current="${COMP_WORDS[COMP_CWORD]}" head='' glue='' index word found quotes=$'["\\'\\\\\\\\]'
                local -a given
                given=()
                COMPREPLY=()
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
                [[ -z $glue ]] || current=''
                if ! found=$(\(name) complete -- "${given[@]}" 2>/dev/null); then
                    # A file can stand here.
                    [[ $current != --*=* ]] || head="${current%%=*}="
                    [[ -z $head ]] && compopt -o default 2>/dev/null && return 0
                    while IFS= read -r word; do
                        COMPREPLY+=("$head$word")
                    done < <(compgen -f -- "${current#"$head"}")
                    return 0
                fi
                # Bash replaces only the part of the word after its last split.
                head="${given[${#given[@]} - 1]}"
                word="${current//$quotes/}"
                head="${head%"$word"}"
                while IFS=$'\\t' read -r word _; do
                    [[ -n $word ]] || continue
                    word="${word#"$head"}"
                    # Within quotes the shell would read some other signs.
                    [[ $current == [\\"\\']* && $word == *[^[:alnum:]_./,:=+@%\\ -]* ]] && continue
                    if [[ $current != [\\"\\']* && $word == *[^[:alnum:]_./,:=+@%-]* ]]; then printf -v word %q "$word"; fi
                    [[ $word == */ ]] && compopt -o nospace 2>/dev/null
                    COMPREPLY+=("$word")
                done <<<"$found"
            }

            complete -F _\(name) \(name)

            """
        // It works both in a folder of `fpath` and when sourced.
        case .zsh:
            """
            #compdef \(name)
            # Completion of \(name) for zsh.
            # Try it with: source <(\(name) completions zsh)

            _\(name)() {
                local answer line tab=$'\\t'
                local -a types plain described shown
                if ! answer=$(\(name) complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null); then
                    # A file can stand here.
                    compset -P '--*='
                    _files
                    return
                fi
                for line in ${(f)answer}; do
                    case $line in
                    *$tab*)
                        described+=("${line%%$tab*}")
                        shown+=("${line/$tab/  -- }")
                        ;;
                    */) types+=("$line") ;;
                    *) plain+=("$line") ;;
                    esac
                done
                # No space after a type whose names follow.
                compadd -S '' -- $types
                compadd -- $plain
                compadd -l -d shown -- $described
            }

            if [[ $funcstack[1] == _\(name) ]]; then
                _\(name) "$@"
            else
                compdef _\(name) \(name)
            fi

            """
        case .fish:
            """
            # Completion of \(name) for fish.
            # Try it with: \(name) completions fish | source

            function __\(name)_complete
                set -l token (commandline -ct)
                set -l words (commandline -opc) "$token"
                if set -l found (\(name) complete -- $words[2..-1] 2>/dev/null)
                    printf '%s\\n' $found
                else
                    # A file can stand here.
                    set -l head (string match -r -- '^--[^=]*=' "$token")
                    set -l path (string replace -r -- '^--[^=]*=' '' "$token")
                    for file in (__fish_complete_path "$path")
                        echo "$head$file"
                    end
                end
            end

            complete -c \(name) -f -a '(__\(name)_complete)'

            """
        }
    }
}

extension String {
    /// This text as one word of bash and zsh.
    var shellQuoted: String { "'" + escaping("'", with: #"'\'"#) + "'" }
}

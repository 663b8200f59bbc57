import Foundation
import Testing

@testable import records

@Suite struct CompletionTests {
    /// A line up to the cursor, and the words that can follow.
    static let lines: [(line: [String], words: [String])] = [
        (["d"], ["delete", "diff"]),
        (["gr"], ["graph"]),
        (["help", "g"], ["get", "graph"]),
        (["help", "fil"], ["filters"]),
        (["help", "get", ""], []),
        (["completions", ""], ["bash", "zsh", "fish"]),
        (["completions", "bash", ""], []),
        (["graph", "--format", ""], ["dot", "mermaid", "svg"]),
        (["graph", "--format", "m"], ["mermaid"]),
        (["graph", "-f", "s"], ["svg"]),
        (["graph", "a", "--summary", "-f", "d"], ["dot"]),
        (["graph", "--depth", ""], []),
        (["compact", ""], ["one.records", "two.records"]),
        (["compact", "o"], ["one.records"]),
        (["nest", "--depth", "5", "o"], ["one.records"]),
        (["flatten", "--into", "t"], ["two.records"]),
        (["compact", "one.records", ""], []),
        (["flatten", "--into", "x", "--", "o"], ["one.records"]),
    ]

    static let optionLines: [(line: [String], words: [String])] = [
        (["--"], ["--help", "--version"]),
        (["compact", "--"], ["--forget", "--help"]),
        (["graph", "--su"], ["--summary"]),
        (["compact", "one.records", "--f"], ["--forget"]),
    ]

    /// Does something in a folder with two files; the script is beside it, and the tool is `records`.
    private func run(_ shell: CompletionScript, _ arguments: [String]) throws -> ToolRun {
        let folder = try ToolFolder()
        let files = folder.url.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        for name in ["one.records", "two.records"] { try folder.write("", to: "files/\(name)") }
        try folder.write(shell.text(for: Records.program), to: "script")
        let path = try #require(Shell.path(of: shell.rawValue))
        let words = arguments.map { $0 == "FILES" ? files.path : $0 == "SCRIPT" ? folder.path("script") : $0 }
        let run = try folder.run(([path] + words).map(\.shellQuoted).joined(separator: " "))
        #expect(run.errors == "")
        return run
    }

    // MARK: bash

    private func completeInBash(_ words: [String]) throws -> [String] {
        let script = """
            cd "$1" && source "$2" && shift 2 || exit 1
            COMP_WORDS=(records "$@") COMP_CWORD=$#
            _records
            printf '%s\\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"}
            """
        let run = try run(.bash, ["--norc", "-c", script, "bash", "FILES", "SCRIPT"] + words)
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"))
    func bashAcceptsTheScript() throws {
        let script = CompletionScript.bash.text(for: Records.program)
        let run = try Shell.run(try #require(Shell.path(of: "bash")), ["-n"], input: script)
        #expect(run == ToolRun(status: 0, output: "", errors: ""))
    }

    @Test(.enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"), arguments: lines + optionLines)
    func bashCompletes(_ line: (line: [String], words: [String])) throws {
        #expect(try completeInBash(line.line).sorted() == line.words.sorted())
    }

    @Test(
        .enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"),
        arguments: [
            // As bash splits the words at its usual breaks, and as it does when `=` is none of them.
            (["graph", "--format", "="], ["dot", "mermaid", "svg"]),
            (["graph", "--format", "=", "m"], ["mermaid"]),
            (["graph", "--format=m"], ["--format=mermaid"]),
            (["flatten", "--into=t"], ["--into=two.records"]),
            (["flatten", "--into", "=", "t"], ["two.records"]),
            (["flatten", "--map", "=", "a", "=", "b", "o"], ["one.records"]),
            (["flatten", "--map", "a", ":", "b", "--", "o"], ["one.records"]),
        ])
    func bashCompletesAfterAnEqualsSign(_ line: [String], _ words: [String]) throws {
        #expect(try completeInBash(line) == words)
    }

    // MARK: fish

    @Test(.enabled(if: Shell.path(of: "fish") != nil, "fish is not installed"), arguments: lines + optionLines)
    func fishCompletes(_ line: (line: [String], words: [String])) throws {
        let script = "cd $argv[1]; source $argv[2]; complete -C $argv[3]"
        let words = ["--no-config", "-c", script, "FILES", "SCRIPT", "records " + line.line.joined(separator: " ")]
        let found = try run(.fish, words).output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        #expect(found.sorted() == line.words.sorted())
    }

    // MARK: zsh

    @Test(.enabled(if: Shell.path(of: "zsh") != nil, "zsh is not installed"), arguments: lines + optionLines)
    func zshCompletes(_ line: (line: [String], words: [String])) throws {
        let words = [
            "-f", "-c", Self.zshProbe, "zsh", "FILES", "SCRIPT", "records " + line.line.joined(separator: " "),
        ]
        #expect(try run(.zsh, words).output.split(separator: "\n").map(String.init).sorted() == line.words.sorted())
    }

    /// Zsh completes only where somebody types.
    ///
    /// So this types in a terminal of zsh's own, and has the function that completions end in note down what it is
    /// given.
    static let zshProbe = #"""
        zmodload zsh/zpty
        cd $1 || exit 1
        zpty shell zsh -f -i
        zpty -w shell "autoload -U compinit && compinit -D -u
        source $2
        compadd() {
            if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
                builtin compadd \"\$@\"
                return
            fi
            local -a found
            builtin compadd -A found \"\$@\"
            print -rl -- \$found >> ${2}.found
            builtin compadd \"\$@\"
        }
        done-now() { print > ${2}.end }
        zle -N done-now
        bindkey '^X' done-now
        setopt no_beep
        print > ${2}.ready"
        for wait in {1..500}; do
            [[ -e ${2}.ready ]] && break
            zpty -r -t shell output
            sleep 0.02
        done
        zpty -n -w shell "$3"$'\t\C-X'
        for wait in {1..500}; do
            [[ -e ${2}.end ]] && break
            zpty -r -t shell output
            sleep 0.02
        done
        zpty -d shell
        [[ -e ${2}.end ]] || print 'zsh did not answer' >&2
        [[ -e ${2}.found ]] && sort -u ${2}.found
        exit 0
        """#
}

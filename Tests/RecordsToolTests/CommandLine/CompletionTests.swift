import Foundation
import Testing

@testable import records

@Suite struct CompletionTests {
    /// A line up to the cursor, and the words that can follow; `*` are the files of the folder.
    static let lines: [(line: [String], words: [String])] = [
        ([""], ["dump", "get", "graph", "fail", "completions", "help"]),
        (["d"], ["dump"]),
        (["g"], ["get", "graph"]),
        (["help", "g"], ["get", "graph"]),
        (["help", "dump", ""], []),
        (["completions", ""], ["bash", "zsh", "fish"]),
        (["completions", "bash", ""], []),
        (["dump", "--format", ""], ["table", "jsonl", "json", "csv"]),
        (["dump", "--format", "js"], ["jsonl", "json"]),
        (["dump", "-f", "c"], ["csv"]),
        (["dump", "a", "--verbose", "-f", "t"], ["table"]),
        (["dump", "--limit", ""], []),
        (["dump", ""], ["one.records", "two.records"]),
        (["dump", "o"], ["one.records"]),
        (["dump", "--limit", "5", "o"], ["one.records"]),
        (["dump", "--into", "t"], ["two.records"]),
        (["dump", "one.records", ""], []),
        (["get", "one.records", ""], []),
        (["dump", "--into", "x", "--", "o"], ["one.records"]),
    ]

    static let optionLines: [(line: [String], words: [String])] = [
        (["--"], ["--help", "--version"]),
        (["dump", "--"], ["--format", "--where", "--limit", "--into", "--verbose", "--quiet", "--help"]),
        (["dump", "--v"], ["--verbose"]),
        (["dump", "one.records", "--q"], ["--quiet"]),
    ]

    private func script(_ shell: CompletionScript, in folder: URL) throws -> String {
        let url = folder.appendingPathComponent("script")
        try Data(shell.text(for: .sample).utf8).write(to: url)
        return url.path
    }

    /// Does something in a folder with two files; the script lies beside it.
    private func withFolder<Result>(_ body: (_ files: URL, _ folder: URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let files = folder.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["one.records", "two.records"] {
            try Data().write(to: files.appendingPathComponent(name))
        }
        return try body(files, folder)
    }

    // MARK: bash

    private func completeInBash(_ words: [String]) throws -> [String] {
        try withFolder { files, folder in
            let run = try Shell.run(
                try #require(Shell.path(of: "bash")),
                [
                    "--norc", "-c",
                    """
                    cd "$1" && source "$2" && shift 2 || exit 1
                    COMP_WORDS=(records "$@") COMP_CWORD=$#
                    _records
                    printf '%s\\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"}
                    """, "bash", files.path, script(.bash, in: folder),
                ] + words)
            #expect(run.errors == "")
            return run.output.split(separator: "\n").map(String.init)
        }
    }

    @Test(.enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"))
    func bashAcceptsTheScript() throws {
        let scripts = [CompletionScript.bash.text(for: .sample), CompletionScript.bash.text(for: Records.program)]
        for script in scripts {
            let run = try Shell.run(try #require(Shell.path(of: "bash")), ["-n"], input: script)
            #expect(run == ToolRun(status: 0, output: "", errors: ""))
        }
    }

    @Test(.enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"), arguments: lines + optionLines)
    func bashCompletes(_ line: (line: [String], words: [String])) throws {
        let added = line.line == [""] ? ["--help", "--version"] : []
        #expect(try completeInBash(line.line).sorted() == (line.words + added).sorted())
    }

    @Test(
        .enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"),
        arguments: [
            // As bash splits the words at its usual breaks, and as it does when `=` is none of them.
            (["dump", "--format", "="], ["table", "jsonl", "json", "csv"]),
            (["dump", "--format", "=", "js"], ["jsonl", "json"]),
            (["dump", "--format=js"], ["--format=jsonl", "--format=json"]),
            (["dump", "--where", "=", "a", "=", "b", "o"], ["one.records"]),
            (["dump", "--where", "a", ":", "b", "--", "o"], ["one.records"]),
        ])
    func bashCompletesAfterAnEqualsSign(_ line: [String], _ words: [String]) throws {
        #expect(try completeInBash(line) == words)
    }

    // MARK: fish

    @Test(.enabled(if: Shell.path(of: "fish") != nil, "fish is not installed"), arguments: lines + optionLines)
    func fishCompletes(_ line: (line: [String], words: [String])) throws {
        try withFolder { files, folder in
            let run = try Shell.run(
                try #require(Shell.path(of: "fish")),
                [
                    "--no-config", "-c", "cd $argv[1]; source $argv[2]; complete -C $argv[3]", files.path,
                    try script(.fish, in: folder), "records " + line.line.joined(separator: " "),
                ])
            #expect(run.errors == "")
            let words = run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
            #expect(words.sorted() == line.words.sorted())
        }
    }

    // MARK: zsh

    @Test(.enabled(if: Shell.path(of: "zsh") != nil, "zsh is not installed"), arguments: lines + optionLines)
    func zshCompletes(_ line: (line: [String], words: [String])) throws {
        try withFolder { files, folder in
            let run = try Shell.run(
                try #require(Shell.path(of: "zsh")),
                [
                    "-f", "-c", Self.zshProbe, "zsh", files.path, try script(.zsh, in: folder),
                    "records " + line.line.joined(separator: " "),
                ])
            #expect(run.errors == "")
            // Zsh offers options where no argument can follow.
            let asksForOptions = line.line.last?.hasPrefix("-") == true
            let letters = ["-h", "-f", "-w", "-n", "-v", "-q"]
            let found = run.output.split(separator: "\n").map(String.init).filter {
                asksForOptions ? !letters.contains($0) : !$0.hasPrefix("-")
            }
            #expect(found.sorted() == line.words.sorted())
        }
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

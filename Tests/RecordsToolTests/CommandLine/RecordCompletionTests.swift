import Foundation
import Testing

@testable import records

/// Completion of what is in the records: types, fields and IDs.
@Suite struct RecordCompletionTests {
    @Test(arguments: [
        ("get school.records Sc", "School/hilltop\n"),
        ("get school.records S", "School/\nStudent/\n"),
        ("get school.records Student/b", "Student/bo\n"),
        ("get school.records Person/x", ""),
        ("get 'postgresql:' A", ""),
        ("get missing.records A", ""),
        ("get - A", ""),
        ("get school.json Sch", "School/hilltop\n"),
        ("get lines.jsonl Book/1", "Book/1\n"),
        ("query school.records ''", "Book\nPerson\nSchool\nStudent\n"),
        ("query school.records St", "Student\n"), ("log school.records P", "Person\n"),
        ("ls school.records Bo", "Book\n"),
        ("query school.records Book --fields title,la", "title,languages\n"),
        ("query school.records Student --sort=-n", "--sort=-name\n"),
        ("query school.records Book --group-by ti", "title\n"),
        ("verify school.records -v --root Boo", "Book/1\nBook/2\n"),
        ("query school.records --format j", "json\njsonl\n"),
        ("nothing school.records A", ""),
        ("get", "get\tPrints the records with these IDs, references to them, or trees\n"),
        ("", ""),
    ])
    func valuesOfTheWordAtTheCursorAreListed(_ words: String, _ values: String) throws {
        let folder = try SchoolFile.folder()
        try folder.write(folder.output("records copy school.records -"), to: "lines.jsonl")
        let run = try folder.run("records complete -- \(words)")
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(run.output.split(separator: "\n").sorted() == values.split(separator: "\n").sorted())
    }

    @Test func atMostAHundredIDsAreListed() throws {
        let folder = try ToolFolder()
        try folder.write((0..<300).map { #"{"id":"A/\#($0)","fields":{}}"# }, to: "a.jsonl")
        #expect(try folder.output("records complete -- get a.jsonl ''").split(separator: "\n").count == 100)
    }

    @Test func theCommandIsNotInTheHelp() async throws {
        #expect(try await !ToolRun.of(Records.program, ["help"]).output.contains("  complete "))
        let words = WordAtCursor(["c"], of: Records.program).choices.map(\.word)
        #expect(words.contains("copy") && !words.contains("complete"))
    }

    private func folder(_ shell: CompletionScript) throws -> ToolFolder {
        let folder = try SchoolFile.folder()
        try folder.write(shell.text(for: Records.program), to: "script")
        let line = #"{"id":"Note/two words:it's","fields":{"n":1}}"# + "\n"
        _ = try folder.output("records copy - school.records", input: line)
        return folder
    }

    @Test(
        .enabled(if: Shell.path(of: "bash") != nil, "bash is not installed"),
        arguments: [
            (["get", "school.records", "Sc"], "School/hilltop"),
            (["query", "school.records", "St"], "Student"),
            (["query", "school.records", "--fields", "title,la"], "title,languages"),
            (["get", "school.records", "No"], #"Note/two\ words:it\'s"#),
            (["get", "school.records", "\"Sc"], "School/hilltop"),
            // The shell would read the quote of this name.
            (["get", "school.records", "\"No"], ""),
            // Bash ends a word at a colon, and replaces only the part after it.
            (["get", "school.records", #"Note/two\ words"#, ":", "it"], #"it\'s"#),
        ])
    func bashAsksTheTool(_ line: [String], _ word: String) throws {
        let folder = try folder(.bash)
        try folder.write(
            """
            source ./script
            COMP_WORDS=(records \(line.map(\.shellQuoted).joined(separator: " ")))
            COMP_CWORD=\(line.count)
            _records
            printf '%s\\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"}
            """, to: "probe")
        let run = try folder.run("'\(try #require(Shell.path(of: "bash")))' --norc probe")
        #expect(run == ToolRun(status: 0, output: word + "\n", errors: ""))
    }

    private static let lines = [
        ("get school.records Sc", "School/hilltop"), ("query school.records St", "Student"),
        ("query school.records --fields title,la", "title,languages"), ("get school.records No", "Note/two words:it's"),
    ]

    @Test(.enabled(if: Shell.path(of: "fish") != nil, "fish is not installed"), arguments: lines)
    func fishAsksTheTool(_ line: String, _ word: String) throws {
        let folder = try folder(.fish)
        let fish = try #require(Shell.path(of: "fish"))
        let run = try folder.run("'\(fish)' --no-config -c 'source script; complete -C $argv[1]' 'records \(line)'")
        #expect(run.errors == "")
        let found = run.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        #expect(found == [word] || found == ["--type=\(word)"])
    }

    @Test(.enabled(if: Shell.path(of: "zsh") != nil, "zsh is not installed"), arguments: lines)
    func zshAsksTheTool(_ line: String, _ word: String) throws {
        let folder = try folder(.zsh)
        try folder.write(CompletionTests.zshProbe, to: "probe")
        let zsh = try #require(Shell.path(of: "zsh"))
        let run = try folder.run("'\(zsh)' -f probe . \"$PWD/script\" 'records \(line)'")
        #expect(run.errors == "")
        // As zsh types it.
        let typed = word.escaping(" '", with: #"\"#)
        #expect(run.output.split(separator: "\n").map(String.init) == [typed])
    }
}

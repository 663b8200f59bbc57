import Foundation
import Testing

@testable import records

/// The first word of a command line that is not a command.
@Suite struct OtherWordsTests {
    private let words = [
        "show", "list", "open", "find", "cat", "schema", "count", "sort", "select", "sql", "rm", "remove", "add",
        "update",
        "mv", "rename", "history", "info", "convert", "head", "import", "export", "dump", "watch", "stats", "new",
        "refs",
        "tree",
    ]

    @Test func wordOfAnotherToolIsAnErrorWithTheCall() throws {
        let folder = try SchoolFile.folder()
        for word in words {
            #expect(Records.program.command(named: word) == nil, "\(word)")
            let call = try #require(OtherWords.call(for: word), "\(word)")
            let command = String(call.prefix { $0 != " " })
            let known = try #require(Records.program.command(named: command), "\(call)")
            for option in call.split(separator: " ") where option.hasPrefix("--") {
                #expect(known.options.contains { "--\($0.name)" == option }, "\(call)")
            }
            let run = try folder.run("records \(word) school.records")
            #expect(run.status == 2 && run.errors.contains("'records \(call)' does this"), "\(run)")
        }
    }

    @Test func fileIsShown() throws {
        let folder = try SchoolFile.folder()
        let types = try folder.output("records ls school.records")
        #expect(try folder.output("records school.records") == types)
        #expect(try folder.output("records ./school.records Book").contains("title"))
        #expect(try folder.output("records copy school.records - | records -").contains("Student"))
        // A command comes before a file of its name, and so does a word with an advice.
        for name in ["ls", "list"] {
            _ = try folder.output("cp school.records \(name)")
            #expect(try folder.run("records \(name)").status == 2)
            #expect(try folder.output("records ./\(name)") == types)
        }
        #expect(try folder.run("records none.records").errors.contains("unknown command 'none.records'"))
    }

    @Test func helpListsAtMostTwentyTwoCommands() {
        let others = ["completions", "manual"]
        #expect(Records.program.shownCommands.count { !others.contains($0.name) } <= 22)
    }
}

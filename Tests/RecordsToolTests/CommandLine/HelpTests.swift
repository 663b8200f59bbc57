import Testing

@testable import records

@Suite struct HelpTests {
    @Test func helpOfTheProgramListsTheCommands() async throws {
        let expected = """
            Looks into records.

            Usage:
              records COMMAND …
              records FILE
              records help COMMAND

            Commands:
              dump         Prints the records of a file
              get          Prints some records
              graph        Draws records
              fail         Fails
              completions  Prints the completion script for a shell
              help         Shows the help of a command

            Options:
              -h, --help     Show this help.
                  --version  Show the version.

            Example:
              The people of a school:
                records dump school.records --type Person

            """
        for arguments in [[], ["--help"], ["-h"], ["help"], ["help", "help"], ["help", "--help"]] {
            #expect(try await ToolRun.of(.sample, arguments) == ToolRun(status: 0, output: expected, errors: ""))
        }
    }

    @Test func helpOfACommandSaysAllThatIsDeclared() async throws {
        let expected = """
            Prints the records of a file.

            Usage:
              records dump [OPTION…] FILE

            Records come in the order of the file, or sorted.

            A second paragraph.

            Arguments:
              FILE  A record file, or '-'.

            Options:
              -f, --format FORMAT    How to print. One of table, jsonl, json, csv. Default:
                                     table.
              -w, --where CONDITION  Only records for which this holds. Repeatable.
              -n, --limit COUNT      At most so many records.
                  --into FILE        Where to print to.
              -v, --verbose          Print more.
              -q, --quiet            Print less.
              -h, --help             Show this help.

            Examples:
              The people of a school:
                records dump school.records --type Person
              Records from standard input:
                records dump - < lines.jsonl

            """
        for arguments in [["help", "dump"], ["dump", "--help"], ["dump", "-h"], ["--help", "dump"]] {
            #expect(try await ToolRun.of(.sample, arguments) == ToolRun(status: 0, output: expected, errors: ""))
        }
    }

    @Test func filtersHaveOneHelp() async throws {
        let filters = try await ToolRun.of(Records.program, ["help", "filters"]).output
        #expect(filters.hasPrefix("Filters:\n  FIELD = VALUE "))
        #expect(filters.contains("\n\nFields:\n") && filters.contains("\n\nValues:\n"))
        for command in Records.program.commands where command.options.contains(where: { $0.name == "where" }) {
            let text = try await ToolRun.of(Records.program, ["help", command.name]).output
            let help = text.split { $0.isWhitespace }.joined(separator: " ")
            #expect(help.contains("'records help filters'") && !help.contains("FIELD = VALUE "))
        }
        let addresses = try await ToolRun.of(Records.program, ["help", "addresses"]).output
        #expect(addresses.hasPrefix("PostgreSQL:\n  postgresql://") && addresses.contains("\n\nCloudKit:\n"))
        #expect(try await ToolRun.of(.sample, ["help", "filters"]).status == 2)
    }

    @Test(arguments: [40, 60, 80, 100, 300])
    func helpFitsTheTerminal(_ width: Int) throws {
        let terminal = Terminal(isTerminal: true, width: width, allowsColour: false)
        let help = HelpText(program: .sample, terminal: terminal)
        let dump = try #require(Program.sample.command(named: "dump"))
        let text = help.text() + help.text(of: dump)
        let examples = Program.sample.commands.flatMap(\.examples).map(\.line)
        let lines = text.split(separator: "\n").filter { line in !examples.contains { line.hasSuffix($0) } }
        #expect(lines.allSatisfy { $0.displayWidth <= min(width, 100) })
        #expect(width < 100 || lines.contains { $0.displayWidth > 80 })
    }

    @Test func descriptionsAreBelowTheOptionsInANarrowTerminal() throws {
        let terminal = Terminal(isTerminal: true, width: 40, allowsColour: false)
        let dump = try #require(Program.sample.command(named: "dump"))
        let rows = """
              -w, --where CONDITION
                  Only records for which this holds.
                  Repeatable.

            """
        #expect(HelpText(program: .sample, terminal: terminal).text(of: dump).contains(rows))
    }

    @Test func titlesAreBoldWhereColourIsAllowed() throws {
        let terminal = Terminal(isTerminal: true, width: 80, allowsColour: true)
        let text = HelpText(program: .sample, terminal: terminal).text()
        #expect(text.contains("\n\u{1b}[1mCommands:\u{1b}[0m\n  dump "))
    }

    @Test func textIsWrappedByDisplayWidth() {
        #expect("日本語 日本語 abc".wrapped(to: 13) == ["日本語 日本語", "abc"])
        #expect("日本語 日本語 abc".wrapped(to: 12) == ["日本語", "日本語 abc"])
        #expect("a  long-long-word b".wrapped(to: 4) == ["a", "long-long-word", "b"])
        #expect("".wrapped(to: 4) == [])
    }
}

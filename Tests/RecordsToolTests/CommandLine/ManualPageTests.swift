import Testing

@testable import records

@Suite struct ManualPageTests {
    private let page = ManualPage(program: Records.program, day: "2020-01-31").text

    @Test func pageHasAllCommandsAndOptions() {
        for command in Records.program.shownCommands {
            #expect(page.contains("\n.SS \(command.name)\n"))
            for option in command.allOptions {
                #expect(page.contains("\\fB\\-\\-\(option.name.replacing("-", with: "\\-"))\\fR"))
            }
        }
        #expect(!page.contains(".SS complete\n"))
        #expect(page.split(separator: "\n").filter { $0 == ".SH FILTERS" }.count == 1)
    }

    @Test(.enabled(if: Shell.path(of: "mandoc") != nil, "mandoc is not installed"))
    func mandocHasNoWarnings() throws {
        let run = try Shell.run(try #require(Shell.path(of: "mandoc")), ["-T", "lint", "-W", "warning"], input: page)
        #expect(run == ToolRun(status: 0, output: "", errors: ""))
    }

    @Test(.enabled(if: Shell.path(of: "groff") != nil, "groff is not installed"))
    func groffHasNoWarningsAndChangesNoSigns() throws {
        let groff = try #require(Shell.path(of: "groff"))
        let run = try Shell.run(groff, ["-man", "-T", "utf8", "-ww", "-P", "-cbou"], input: page)
        #expect(run.errors == "")
        #expect(
            run.output.contains("records query school.records Student --where 'marks.music exists' --count")
                || run.output.contains("records flatten school.json | records nest -"))
        #expect(run.output.contains("{\"$bytes\": \"aGk=\"}"))
    }
}

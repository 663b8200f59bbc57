import Foundation
import Testing

@testable import records

@Suite struct ProgramTests {
    private func run(_ arguments: String...) async throws -> ToolRun {
        try await ToolRun.of(.sample, arguments)
    }

    @Test func commandGetsWhatTheUserGave() async throws {
        #expect(
            try await run("dump", "-vw", "a=1", "x y", "--where", "b")
                == ToolRun(
                    status: 0,
                    output: """
                        FILE ["x y"]
                        --format ["table"]
                        --where ["a=1", "b"]
                        --limit []
                        --into []
                        --verbose true
                        --quiet false

                        """,
                    errors: ""))
    }

    @Test(arguments: [
        ("dmp", "unknown command 'dmp'; did you mean 'dump'? (see 'records --help')"),
        ("comp", "unknown command 'comp'; did you mean 'completions'? (see 'records --help')"),
        ("hlep", "unknown command 'hlep'; did you mean 'help'? (see 'records --help')"),
        ("restructure", "unknown command 'restructure' (see 'records --help')"),
        ("", "unknown command '' (see 'records --help')"),
        ("--versoin", "unknown option '--versoin'; did you mean '--version'? (see 'records --help')"),
        ("-x", "unknown option '-x' (see 'records --help')"),
        ("-\u{301}x", "unknown option '-\u{301}x' (see 'records --help')"),
        ("dump", "FILE is missing (see 'records dump --help')"),
        ("help dmp", "unknown command 'dmp'; did you mean 'dump'? (see 'records --help')"),
        ("help dump get", "unexpected argument 'get' (see 'records --help')"),
        ("--version dump", "unexpected argument 'dump' (see 'records --help')"),
        ("dump a --lmit 1", "unknown option '--lmit'; did you mean '--limit'? (see 'records dump --help')"),
    ])
    func wrongLineEndsWithAHint(_ line: String, _ message: String) async throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(try await ToolRun.of(.sample, words) == .error("\(message)", status: 2))
    }

    @Test func errorOfACommandIsOneLine() async throws {
        let run = try await run("fail", "a\nb\tc\u{1b}[31m\u{2028}d\u{202e}é")
        #expect(
            run
                == ToolRun(
                    status: 1, output: "before\n",
                    errors: #"records: a\nb\tc\u{1b}[31m\u{2028}d\u{202e}é"# + "\n"))
    }

    @Test func usageErrorOfACommandEndsWithTheUsageStatus() async throws {
        #expect(
            try await run("fail", "usage")
                == ToolRun(
                    status: 2, output: "before\n",
                    errors: #"records: that does not\nwork (see 'records fail --help')"# + "\n"))
    }

    @Test func closedPipeEndsQuietly() async throws {
        let run = try await run("fail", "pipe")
        #expect(run.status == 0)
        #expect(run.errors == "")
    }

    @Test func statusOfACommandIsTheProgramsStatus() async throws {
        #expect(try await run("fail", "none") == ToolRun(status: 1, output: "before\n", errors: ""))
    }

    @Test func versionIsPrinted() async throws {
        #expect(try await run("--version") == ToolRun(status: 0, output: "records 1.2.3\n", errors: ""))
    }

    @Test func jsonErrorsKeepTheirPath() throws {
        struct Model: Decodable { let people: [Int] }
        let json = Data(#"{"people": [1, "x"]}"#.utf8)
        #expect {
            try JSONDecoder().decode(Model.self, from: json)
        } throws: { error in
            ErrorLine.text(of: error).hasSuffix("(at people.1)")
        }
    }
}

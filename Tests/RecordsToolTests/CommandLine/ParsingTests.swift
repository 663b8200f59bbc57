import Testing

@testable import records

@Suite struct ParsingTests {
    private func values(_ line: String, of command: String = "dump") throws -> [String: [String]]? {
        let command = try #require(Program.sample.command(named: command))
        return try ArgumentParser.parse(line.split(separator: " ").map(String.init), for: command)
    }

    private func error(_ line: String, of command: String = "dump") throws -> String? {
        do {
            _ = try values(line, of: command)
            return nil
        } catch let error as UsageError {
            return error.description
        }
    }

    @Test(arguments: [
        "a --format json", "a --format=json", "a -f json", "a -fjson", "a -f=json", "--format json a",
        "--format=json -- a", "-f json a",
    ])
    func valueIsReadInEverySpelling(_ line: String) throws {
        #expect(try values(line) == ["FILE": ["a"], "format": ["json"]])
    }

    @Test(arguments: [
        ("a -vq", ["FILE": ["a"], "verbose": [""], "quiet": [""]]),
        ("-vn5 a", ["FILE": ["a"], "verbose": [""], "limit": ["5"]]),
        ("-vqn 5 a", ["FILE": ["a"], "verbose": [""], "quiet": [""], "limit": ["5"]]),
        ("a -w x=1 --where=y=2 -wz", ["FILE": ["a"], "where": ["x=1", "y=2", "z"]]),
        ("a --limit -5", ["FILE": ["a"], "limit": ["-5"]]),
        ("a --limit -.5", ["FILE": ["a"], "limit": ["-.5"]]),
        ("a --where=", ["FILE": ["a"], "where": [""]]),
        ("a --where=--", ["FILE": ["a"], "where": ["--"]]),
        ("--into - -", ["FILE": ["-"], "into": ["-"]]),
        ("-- -v", ["FILE": ["-v"]]),
        ("-- --", ["FILE": ["--"]]),
        ("-7", ["FILE": ["-7"]]),
        // A mark that combines with the sign or the letter before it.
        ("a --where=\u{301}x", ["FILE": ["a"], "where": ["\u{301}x"]]),
        ("a -w=\u{301}x", ["FILE": ["a"], "where": ["\u{301}x"]]),
        ("a -w\u{301}x", ["FILE": ["a"], "where": ["\u{301}x"]]),
    ])
    func wordsAreSeparated(_ line: String, _ expected: [String: [String]]) throws {
        #expect(try values(line) == expected)
    }

    @Test(arguments: [
        ("get", "f 1", ["FILE": ["f"], "ID": ["1"]]),
        ("get", "f 1 2 3", ["FILE": ["f"], "ID": ["1", "2", "3"]]),
        ("graph", "f", ["FILE": ["f"]]),
        ("graph", "f 1", ["FILE": ["f"], "ROOT-ID": ["1"]]),
    ])
    func argumentsAreAssignedInOrder(_ command: String, _ line: String, _ expected: [String: [String]]) throws {
        #expect(try values(line, of: command) == expected)
    }

    @Test func optionalArgumentsLeaveWhatLaterOnesNeed() throws {
        let command = Command(
            name: "c", summary: "", examples: [],
            arguments: [
                Command.Argument("A", "", .optional), Command.Argument("B", "", .repeated), Command.Argument("C", ""),
            ]
        ) { _ in .done }
        #expect(try ArgumentParser.parse(["1", "2"], for: command) == ["B": ["1"], "C": ["2"]])
        #expect(try ArgumentParser.parse(["1", "2", "3"], for: command) == ["A": ["1"], "B": ["2"], "C": ["3"]])
        #expect(
            try ArgumentParser.parse(["1", "2", "3", "4"], for: command)
                == ["A": ["1"], "B": ["2", "3"], "C": ["4"]])
    }

    @Test(arguments: ["--help", "-h", "a b c --help", "-vh", "--format json -h --unknown"])
    func helpComesBeforeWhatIsMissingOrFollows(_ line: String) throws {
        #expect(try values(line) == nil)
    }

    @Test(arguments: [
        ("", "FILE is missing"),
        ("a b", "unexpected argument 'b'"),
        ("a --formt json", "unknown option '--formt'; did you mean '--format'?"),
        ("a --form=json", "unknown option '--form'; did you mean '--format'?"),
        ("a --zzz", "unknown option '--zzz'"),
        ("a -x", "unknown option '-x'"),
        ("a -formt", "option '-f' is one of table, jsonl, json, csv, not 'ormt'"),
        ("a -quite", "unknown option '-quite'; did you mean '--quiet'?"),
        ("a -vx", "unknown option '-x'"),
        ("a --format", "option '--format' needs a value, FORMAT"),
        ("a --where --", "option '--where' needs a value, CONDITION; for the value '--' write '--where=--'"),
        ("a -w -v", "option '-w' needs a value, CONDITION; for the value '-v' write '--where=-v'"),
        ("a --verbose=yes", "option '--verbose' takes no value"),
        ("a --format json -f csv", "option '-f' is given twice"),
        ("a -vv", "option '-v' is given twice"),
        ("a --format jsno", "option '--format' is one of table, jsonl, json, csv, not 'jsno'; did you mean 'json'?"),
        ("a --format=", "option '--format' is one of table, jsonl, json, csv, not ''"),
        ("a --\u{301}x", "unknown option '--\u{301}x'"),
        ("a -\u{301}", "unknown option '-\u{301}'"),
        ("a -w --\u{301}", "option '-w' needs a value, CONDITION; for the value '--\u{301}' write '--where=--\u{301}'"),
        ("a -n -inf", "option '-n' needs a value, COUNT; for the value '-inf' write '--limit=-inf'"),
    ])
    func wrongLineSaysWhatIsWrong(_ line: String, _ message: String) throws {
        #expect(try error(line) == message)
    }

    @Test(arguments: [("", "FILE is missing"), ("f", "ID is missing")])
    func repeatedArgumentMustBeThere(_ line: String, _ message: String) throws {
        #expect(try error(line, of: "get") == message)
    }

    @Test func choiceOfAnArgumentIsChecked() throws {
        #expect(
            try error("fihs", of: "completions") == "SHELL is one of bash, zsh, fish, not 'fihs'; did you mean 'fish'?")
    }
}

import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct QueryCommandTests {
    private static let lines =
        #"{"id":"Author/ada","fields":{"name":"Ada","home":{"$ref":"Place/x"}}}"# + "\n"
        + #"{"id":"Author/bo","fields":{"name":"Bo"}}"# + "\n"
        + #"{"id":"Place/x","fields":{"at":{"$location":"57.05;-5.13"}}}"# + "\n"
        + (1...9).map {
            #"{"id":"Book/\#($0)","fields":{"title":"T\#($0)","year":\#(1990 + $0 % 3),"author":{"$ref":"Author/\#($0 % 2 == 0 ? "ada" : "bo")"}}}"#
                + "\n"
        }.joined()

    private func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - a.records", input: Self.lines)
        try folder.write(Self.lines, to: "a.jsonl")
        return folder
    }

    @Test(arguments: [
        ("year = 1990", "3 6 9"), ("year > 1990 and title prefix T1", "1"),
        ("author refers to Author where (name = Ada)", "2 4 6 8"),
        ("author refers to Author where (home refers to Place where (at near (57;-5, 10000)))", "2 4 6 8"),
        ("not author refers to Author where (home exists) or @name in (2, \"4\")", "1 2 3 4 5 7 9"),
        ("@created > 2020-01-01 or not @created exists", "1 2 3 4 5 6 7 8 9"),
    ])
    func everyInputHasOneAnswer(_ filter: String, _ names: String) throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl", "-"] {
            let ids = try folder.output(
                "records query \(input) Book --where '\(filter)' --ids", input: Self.lines)
            #expect(ids == names.split(separator: " ").map { "Book/\($0)\n" }.joined())
            let count = try folder.output(
                "records query \(input) Book --where '\(filter)' --count", input: Self.lines)
            #expect(count == "\(names.split(separator: " ").count)\n")
        }
    }

    @Test func groupsAreLinesOfJSON() throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl"] {
            #expect(
                try folder.output("records query \(input) Book --group-by author --summarize year") == """
                    {"author":"Author/ada","count":4,"numbers":4,"sum":7965,"average":1991.25,"min":1990,"max":1992}
                    {"author":"Author/bo","count":5,"numbers":5,"sum":9954,"average":1990.8,"min":1990,"max":1992}

                    """)
            #expect(
                try folder.output("records query \(input) Book --group-by year --where 'title > T4' -f json")
                    == #"[{"year":1990,"count":2},{"year":1991,"count":1},{"year":1992,"count":2}]"#
                    + "\n")
            #expect(
                try folder.output("records query \(input) Book --summarize title --where 'year = 1990'")
                    == #"{"count":3,"numbers":0,"sum":0,"average":null,"min":"T3","max":"T9"}"# + "\n")
            #expect(
                try folder.output("records query \(input) Book --explain --sort year --limit 2")
                    == "Examines every record of Book. Sorts the matching records, and keeps 2.\n")
        }
        for (arguments, reason) in [
            ("Book --group-by yaer", "did you mean 'year'"), ("Book --group-by @type", "must be a field"),
            (
                "Book --summarize year --limit 2",
                "'--limit' cannot be given together with '--summarize' without '--group-by'"
            ),
            ("Book --group-by year -s average", "'--sort': 'average' needs '--summarize'"),
            ("Book --group-by year -s counts", "'--sort': 'counts' does not name a column of groups: year, count"),
            ("Book --summarize year --explain", "'--explain' cannot be given together with '--summarize'"),
            ("Book --count -f table", "'--format' cannot be given together with '--count'"),
            ("Book --guard-formulas", "'--guard-formulas' needs '--format csv' or tsv"),
            ("Author,Book --next", "'--next' needs one TYPE"), (",", "TYPE has an empty name"),
            (
                "Book,Author -w 'titl = x'",
                "no record of the types Book, Author in a.records has a field 'titl'; did you mean 'title'?"
            ),
        ] {
            let output = try folder.output("records query a.records \(arguments) 2>&1; echo $?")
            #expect(output.contains(reason) && output.hasSuffix("2\n"), "\(output)")
        }
    }

    @Test(arguments: [
        ("-s=-count -s=-author", "author,count|Author/bo,5|Author/ada,4|"),
        ("-s=-author -n 1", "author,count|Author/bo,5|"),
        (
            "-w 'year < 1992' --summarize year -s average",
            "author,count,numbers,sum,average,min,max|Author/ada,2,2,3981,1990.5,1990,1991|"
                + "Author/bo,4,4,7962,1990.5,1990,1991|"
        ),
        ("-n 0", "author,count|"),
    ])
    func groupsHaveAnOrderAndALimit(_ options: String, _ answer: String) throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl"] {
            #expect(
                try folder.output("records query \(input) Book --group-by author -f csv \(options)")
                    == answer.replacing("|", with: "\n"))
        }
        #expect(
            try folder.output("records query a.jsonl Book --group-by year -n 1 -f json")
                == #"[{"year":1990,"count":3}]"# + "\n")
    }

    @Test(arguments: [
        (173785.1234567901, 173785.123457), (1.0 / 3, 0.333333), (-2.0 / 3e9, -6.66667e-10), (12.5, 12.5), (0.0, 0.0),
        (1e300, 1e300), (-1e-300, 0.0),
    ])
    func averagesHaveSixDecimals(_ number: Double, _ rounded: Double) {
        #expect(number.roundedToSixDecimals == rounded)
    }

    @Test func fieldsOfAListMayBePaths() throws {
        let folder = try folder()
        #expect(
            try folder.output("records query a.jsonl Place --typed --fields at.latitude")
                == #"{"id":"Place/x","fields":{"at.latitude":57.05}}"# + "\n")
        #expect(
            try folder.output("records query a.records Book -n 2 --fields title,author.name -f csv")
                == "title,author.name\nT1,Bo\nT2,Ada\n")
        let line = #"{"id":"A/1","fields":{"a.b":1,"first name":2,"a":{"b":3,"c,d":4}}}"# + "\n"
        #expect(
            try folder.output(#"records query - --fields '"a.b",a.b' -f csv"#, input: line)
                == "@id,\"\"\"a.b\"\"\",a.b\nA/1,1,3\n")
        #expect(
            try folder.output(#"records query - --fields '"a.b",first name,a."c,d"' -f csv"#, input: line)
                == "@id,a.b,first name,\"a.\"\"c,d\"\"\"\nA/1,1,2,4\n")
    }

    @Test func objectsInLinesAreNotCountedWithTheLines() throws {
        let lines = (1...4).map {
            #"{"level":"\#($0 < 4 ? "info" : "warn")","at":\#($0),"user":{"id":\#($0 % 2),"name":"a"}}"#
        }
        for groups in ["level", "level,at"] {
            let options = groups.split(separator: ",").map { "--group-by \($0)" }.joined(separator: " ")
            let output = try ToolFolder().output("records query - \(options)", input: lines.joined(separator: "\n"))
            #expect(!output.contains("null") && output.contains(#""level":"info""#), "\(output)")
        }
    }

    @Test func searchLooksIntoAllFields() throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl", "-"] {
            func ids(_ options: String) throws -> String {
                try folder.output("records query \(input) \(options)", input: Self.lines)
            }
            #expect(try ids("--search ADA --ids | sort | tr '\\n' ' '") == "Author/ada ")
            // The ID in a reference is a value of the author.
            #expect(try ids("Book --search author/ada --count") == "0\n")
            #expect(try ids("--search t1 --group-by author") == #"{"author":"Author/bo","count":1}"# + "\n")
            #expect(try ids("Book --search nothing --count") == "0\n")
        }
    }

    @Test func recordsAreLinesOfTypedJSON() throws {
        let folder = try folder()
        #expect(
            try folder.output(
                "records query a.jsonl Book --typed --next --sort=-year --limit 3 --fields year,title 2>next; cat next"
            )
            .hasPrefix(
                """
                {"id":"Book/2","fields":{"year":1992,"title":"T2"}}
                {"id":"Book/5","fields":{"year":1992,"title":"T5"}}
                {"id":"Book/8","fields":{"year":1992,"title":"T8"}}
                next: \

                """))
        #expect(
            try folder.output("records query a.records Book --typed | sed 's/,\"metadata.*/}/'")
                == Self.lines.split(separator: "\n").filter { $0.contains("Book") }.map { $0 + "\n" }.joined())
    }

    @Test(arguments: ["a.records", "a.jsonl"]) func pagesFollowEachOther(_ input: String) throws {
        let folder = try folder()
        let query = "records query \(input) Book -s year --limit 4 --next"
        let all = try folder.output("records query \(input) Book -s year --ids")
        #expect(
            try folder.output(
                """
                \(query) --ids 2>next
                \(query) --ids --after="$(sed -n 's/^next: //p' next)" 2>next
                \(query) --ids --after="$(sed -n 's/^next: //p' next)" 2>next
                cat next
                """) == all)
    }

    @Test func cursorIsPrintedOnlyIfItIsAskedFor() throws {
        let run = try folder().run("records query a.records Book --limit 1 --fields year")
        #expect(run == ToolRun(status: 0, output: "{\"year\":1991}\n", errors: ""))
    }

    @Test func objectHasTheCursor() throws {
        struct Page: Decodable {
            let ids: [String]?
            let records: [Record]?
            let next: String?
        }
        func page(_ options: String) throws -> Page {
            try JSONDecoder().decode(
                Page.self,
                from: Data(try folder.output("records query a.records Book -f json --next \(options)").utf8))
        }
        let folder = try folder()
        var ids: [String] = []
        var next: String?
        repeat {
            let page = try page("--ids --limit 4" + (next.map { " --after=\($0)" } ?? ""))
            #expect(page.records == nil)
            ids += try #require(page.ids)
            next = page.next
        } while next != nil
        #expect(ids == (1...9).map { "Book/\($0)" })
        let records = try #require(try page("--typed -w 'year = 1990'").records)
        #expect(records.map(\.id.name) == ["3", "6", "9"])
        #expect(try folder.output("records query a.records Book --count") == "9\n")
        #expect(
            try folder.output("records query a.records Book -f json --next --ids -w 'year = 0'")
                == "{\"ids\":[],\"next\":null}\n")
        #expect(
            try folder.output("records query a.jsonl Author -f json --next --fields name -n 1 -s name | cut -c 1-10")
                == "{\"records\"\n{\"name\":\"A\n],\"next\":\"\n")
    }

    @Test func savesAndDeletionsDoNotShiftPages() async throws {
        let folder = try folder()
        let query = "records query a.records Book --limit 4 --next --ids"
        #expect(try folder.output("\(query) 2>next").hasSuffix("Book/4\n"))
        _ = try folder.output(
            "records copy - a.records",
            input: #"{"id":"Book/0","fields":{}}"# + "\n" + #"{"id":"Book/45","fields":{}}"# + "\n")
        #expect(
            try folder.output("\(query) --after=\"$(sed 's/^next: //' next)\" 2>next")
                == "Book/45\nBook/5\nBook/6\nBook/7\n")
    }

    @Test(arguments: [
        ("--after=x", "option '--after' must be the unchanged cursor of an earlier page"),
        ("--after=", "option '--after' must be the unchanged cursor of an earlier page"),
        (
            "--after=$(sed 's/^next: \\(.*\\)./\\1/' next)",
            "option '--after' must be the unchanged cursor of an earlier page"
        ),
        ("--after=A$(cut -c 8- next)", "option '--after' must be the unchanged cursor of an earlier page"),
        (
            "--after=$(cut -c 7- next) -s title",
            "option '--after': the cursor belongs to a query of another type, filter or order"
        ),
        (
            "--after=$(cut -c 7- next) -w 'year = 1990'",
            "option '--after': the cursor belongs to a query of another type, filter or order"
        ),
        ("--count --limit 1", "option '--limit' cannot be given together with '--count'"),
        ("--count --ids", "option '--ids' cannot be given together with '--count'"),
        ("--ids --fields year", "option '--fields' cannot be given together with '--ids'"),
        (
            "-w 'titel = 1'",
            "option '--where', column 1: no record of the type Book in a.records has a field 'titel'; did you mean 'title'?"
        ),
        ("-w 'title = ('", "option '--where', column 9: found '(', expected a value"),
        ("-s 'year x'", "option '--sort', column 5: found ' ', expected the end"),
        ("--sort=-", "option '--sort', column 2: found the end, expected the name of a field"),
        ("--fields ''", "option '--fields' has an empty name"),
    ])
    func mistakeOfUseIsReportedWithItsStatus(_ options: String, _ text: String) throws {
        let folder = try folder()
        let run = try folder.run(
            "records query a.records Book --limit 1 --next >/dev/null 2>next; "
                + "records query a.records Book \(options)")
        #expect(run.status == 2 && run.output == "")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.first ?? "" == "records: \(text) (see 'records query --help')")
        #expect(lines.count == (text.contains("column") ? 3 : 1), "\(lines)")
    }

    @Test(arguments: [
        ("-w \"title = 'á漢' and titel = 1\"", ["  title = 'á漢' and titel = 1", "                    ^"]),
        ("-w 'title = '", ["  title = ", "          ^"]), ("--fields year,titel", ["  year,titel", "       ^"]),
        ("-w 'title = 1\n and ('", []), ("--fields titel", []), ("Book,Bok", ["  Book,Bok", "       ^"]),
        ("-s 'year x'", ["  year x", "      ^"]), ("-w '@nam = 1'", ["  @nam = 1", "  ^"]),
    ])
    func caretIsBelowTheMistake(_ options: String, _ lines: [String]) throws {
        let type = options.hasPrefix("Book") ? "" : "Book"
        let run = try folder().run("records query a.records \(type) \(options)")
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").dropFirst().map { String($0) } == lines)
    }

    @Test func unknownTypeIsAMistakeOfUse() throws {
        #expect(
            try folder().run("records query a.jsonl Bok --count")
                == ToolRun(
                    status: 2, output: "",
                    errors: "records: TYPE: there is no type 'Bok' in a.jsonl; did you mean 'Book'? "
                        + "(see 'records query --help')\n"))
        let run = try folder().run("records query a.jsonl Book/1")
        #expect(run.errors.contains("TYPE: 'Book/1' is not a type; 'records get' prints records by their IDs"))
    }

    @Test(arguments: [
        ("--count", "12\n"), ("Author,Place --count", "3\n"),
        ("Book,Author -w 'name = Ada or title = T4' --ids | sort", "Author/ada\nBook/4\n"),
        ("-w 'name = Ada or at exists' --ids | sort", "Author/ada\nPlace/x\n"),
        ("Author,Place --sort=-name --ids", "Author/bo\nAuthor/ada\nPlace/x\n"),
        ("--group-by name", #"{"name":null,"count":10}|{"name":"Ada","count":1}|{"name":"Bo","count":1}|"#),
        (
            "Author,Book --summarize year -f table",
            "count  numbers    sum  average   min   max|   11        9  17919   1991.0  1990  1992|"
        ),
        ("Author,Place --explain", "Examines every record of Author.\nExamines every record of Place.\n"),
        ("Author -f csv --fields name", "name\nAda\nBo\n"),
        ("Author,Place -f csv --fields name", "@id,name\nAuthor/ada,Ada\nAuthor/bo,Bo\nPlace/x,\n"),
        ("Author -f table --fields name -n 1", "@name  name\nada    Ada\n"),
        ("Author -f table --fields name,@name -n 1", "name  @name\nAda   ada\n"),
    ])
    func severalTypesAreOneQuestion(_ options: String, _ answer: String) throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl", "-"] {
            let output = try folder.output("records query \(input) \(options)", input: Self.lines)
            #expect(output == answer.replacing("|", with: "\n"), "\(input)")
        }
    }

    @Test(arguments: [
        ("Book -w 'year = 0'", 1), ("Book -w 'year = 1990'", 0), ("Book --count -w 'year = 0'", 1),
        ("Book --ids -w 'year = 0'", 1), ("Book --group-by year -w 'year = 0'", 1), ("Book --summarize year", 0),
        ("Book --summarize year -w 'year = 0'", 1), ("-w 'year = 0'", 1), ("-n 0", 1), ("", 0),
    ])
    func answerWithoutRecordsFailsOnRequest(_ options: String, _ status: Int32) throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl", "-"] {
            let run = try folder.run("records query \(input) \(options) --fail-empty", input: Self.lines)
            #expect(run.status == status && run.errors == "", "\(input) \(run)")
            #expect(try folder.run("records query \(input) \(options)", input: Self.lines).status == 0)
        }
    }

    @Test(arguments: [
        (
            "Book --group-by author.name --group-by year -s=-count -n 3",
            "author.name,year,count|Ada,1992,2|Bo,1990,2|Bo,1991,2|"
        ),
        (
            "--group-by name --group-by @name -w 'name exists' --summarize year",
            "name,@name,count,numbers,sum,average,min,max|Ada,ada,1,0,0,,,|Bo,bo,1,0,0,,,|"
        ),
        (
            "Book --group-by year --group-by year --summarize year -n 1 -w 'year < 1991'",
            "year,count,numbers,sum,average,min,max|1990,3,3,5970,1990.0,1990,1990|"
        ),
        ("Book --group-by year --group-by title -w 'year = 0'", "year,title,count|"),
    ])
    func groupsHaveTheValuesOfSeveralFields(_ options: String, _ answer: String) throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl", "-"] {
            let output = try folder.run("records query \(input) \(options) -f csv", input: Self.lines).output
            #expect(output == answer.replacing("|", with: "\n"), "\(input)")
        }
    }

    @Test func groupsOfListsAreAllCombinations() throws {
        let line = #"{"id":"A/1","fields":{"a":[{"n":1},{"n":2}],"count":[{"n":3},{"n":4}],"c":5}}"# + "\n"
        func groups(_ options: String) throws -> String {
            try ToolFolder().output("records query - A -f csv \(options)", input: line)
        }
        #expect(try groups("--group-by a.n --group-by count.n") == "a.n,count.n,count\n1,3,1\n1,4,1\n2,3,1\n2,4,1\n")
        let many = (1...400).map { "{\"n\":\($0)}" }.joined(separator: ",")
        let run = try ToolFolder().run(
            "records query - A --group-by a.n --group-by b.n",
            input: "{\"id\":\"A/1\",\"fields\":{\"a\":[\(many)],\"b\":[\(many)]}}\n")
        #expect(run == .error("a record is in more than 100,000 groups (see 'records query --help')", status: 2))
        // A column of a field is not taken for one of a summary.
        #expect(
            try ToolFolder().output(
                "records query - A -f jsonl --group-by count",
                input: #"{"id":"A/1","fields":{"count":"x"}}"# + "\n") == #"{"\"count\"":"x","count":1}"# + "\n")
    }

    /// Equal lines of a log are counted each, as the rows of a table are.
    @Test(arguments: [
        "{\"id\":\"a\",\"level\":\"info\"}\n{\"id\":\"a\",\"level\":\"info\"}\n{\"id\":\"b\",\"level\":\"warn\"}\n",
        "[{\"id\":1,\"level\":\"info\"},{\"id\":1,\"level\":\"info\"},{\"id\":2,\"level\":\"warn\"}]",
    ])
    func equalLinesAreCountedEach(_ input: String) throws {
        let folder = try ToolFolder()
        #expect(try folder.output("records query - --count", input: input) == "3\n")
        let groups = try folder.output("records query - --group-by level -f csv", input: input)
        #expect(groups == "level,count\ninfo,2\nwarn,1\n")
    }

    @Test func inputWithoutRecordsHasNoneOfAnyType() throws {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - empty.records")
        for input in ["empty.records", "-"] {
            let query = "records query \(input) Bok -w 'a.b = 1'"
            #expect(try folder.output("\(query) --count") == "0\n")
            #expect(try folder.output("\(query) -f json --next") == "{\"records\":[],\"next\":null}\n")
            #expect(try folder.output(query) == "")
        }
    }

    @Test func noRecordIsAPageToo() throws {
        let folder = try folder()
        #expect(
            try folder.output("records query a.records Book --limit 0 -f json --next")
                == "{\"records\":[],\"next\":null}\n")
    }

    @Test func hostileArgumentsAreAnsweredOrRefused() throws {
        let folder = try folder()
        let list = (0..<20_000).map { "\($0 % 7 + 1990)" }.joined(separator: ",")
        #expect(try folder.output("records query a.records Book -w 'year in (\(list))' --count") == "9\n")
        let brackets = String(repeating: "(", count: 10_000) + "year = 1990" + String(repeating: ")", count: 10_000)
        #expect(try folder.output("records query a.records Book -w '\(brackets)' --count") == "3\n")
        let nots = String(repeating: "not ", count: 901) + "year = 1990"
        #expect(try folder.output("records query a.records Book -w '\(nots)' --count") == "6\n")
        let references =
            String(repeating: "author refers to Book where (", count: 17) + "year = 1990"
            + String(repeating: ")", count: 17)
        let refused = try folder.run("records query a.records Book -w '\(references)' --count")
        #expect(refused.status == 2)
        #expect(
            refused.errors.hasPrefix("records: option '--where': the filter is too large: it follows 17 references"))
        let run = try folder.run("records query a.records Book -w \"$(printf 'title = \\033[31m')\"")
        #expect(run.status == 2)
        #expect(!run.errors.contains("\u{1B}"))
        let invalid = try folder.run("records query a.records Book -w \"$(printf 'title = \\377')\"")
        #expect(invalid.status == 2)
        #expect(invalid.errors.hasPrefix("records: argument 5 is not text in UTF-8: 'title = "))
        #expect(try folder.output("records query a.records Book --ids -w \"title = 'it''s'\"") == "")
        #expect(
            try folder.output(#"records query a.records Book --ids -w 'title != "\u0000\""' | wc -l | tr -d ' '"#)
                == "9\n")
    }

    @Test func outputOnATerminalIsTheSameButForSignsThatItObeys() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let console = Console(outputDescriptor: terminal.slave, errorDescriptor: terminal.slave, environment: [:])
        let record = try Record(id: Record.ID(type: "P", name: "a\u{202E}b"), fields: [:])
        try IDPrinter(console: console).print(record)
        try console.output.flush()
        #expect(try terminal.read() == "P/a\\u{202e}b\r\n")
    }
}

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
        _ = try folder.output("records import a.records", input: Self.lines)
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
                "records query \(input) --type Book --where '\(filter)' --ids", input: Self.lines)
            #expect(ids == names.split(separator: " ").map { "Book/\($0)\n" }.joined())
            let count = try folder.output(
                "records query \(input) --type Book --where '\(filter)' --count", input: Self.lines)
            #expect(count == "\(names.split(separator: " ").count)\n")
        }
    }

    @Test func groupsAreLinesOfJSON() throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl"] {
            #expect(
                try folder.output("records query \(input) -t Book --group-by author --summarize year") == """
                    {"group":{"$ref":"Author/ada"},"count":4,"numbers":4,"sum":7965,"average":1991.25,"min":1990,"max":1992}
                    {"group":{"$ref":"Author/bo"},"count":5,"numbers":5,"sum":9954,"average":1990.8,"min":1990,"max":1992}

                    """)
            #expect(
                try folder.output("records query \(input) -t Book --group-by year --where 'title > T4' --json")
                    == #"{"summaries":[{"group":1990,"count":2},{"group":1991,"count":1},{"group":1992,"count":2}]}"#
                    + "\n")
            #expect(
                try folder.output("records query \(input) -t Book --summarize title --where 'year = 1990'")
                    == #"{"count":3,"numbers":0,"sum":0,"average":null,"min":"T3","max":"T9"}"# + "\n")
            #expect(
                try folder.output("records query \(input) -t Book --explain --sort year --limit 2")
                    == "Examines every record of Book. Sorts the matching records, and keeps 2.\n")
        }
        for (arguments, reason) in [
            ("--group-by yaer", "did you mean 'year'"), ("--group-by @type", "must be a field"),
            (
                "--summarize year --limit 2",
                "'--limit' cannot be given together with '--summarize' without '--group-by'"
            ),
            ("--group-by year -s average", "'--sort': 'average' needs '--summarize'"),
            ("--group-by year -s counts", "'--sort': 'counts' does not name a column of groups: group, count"),
            ("--summarize year --explain", "'--explain' cannot be given together with '--summarize'"),
            ("--count -f table", "'--format' cannot be given together with '--count'"),
            ("--json -f csv", "'--format' cannot be given together with '--json'"),
            ("--guard-formulas", "'--guard-formulas' needs '--format csv'"),
            ("-t Author --json", "'--json' needs one '--type'"), ("-t ,", "'--type' has an empty name"),
            (
                "-t Author -w 'titl = x'",
                "no record of the types Book, Author in a.records has a field 'titl'; did you mean 'title'?"
            ),
        ] {
            let output = try folder.output("records query a.records -t Book \(arguments) 2>&1; echo $?")
            #expect(output.contains(reason) && output.hasSuffix("2\n"), "\(output)")
        }
    }

    @Test(arguments: [
        ("-s=-count -s=-group", "author,count|Author/bo,5|Author/ada,4|"),
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
                try folder.output("records query \(input) -t Book --group-by author -f csv \(options)")
                    == answer.replacing("|", with: "\n"))
        }
        #expect(
            try folder.output("records query a.jsonl -t Book --group-by year -n 1 -f json")
                == #"[{"group":1990,"count":3}]"# + "\n")
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
            try folder.output("records dump a.jsonl -t Place --fields at.latitude")
                == #"{"id":"Place/x","fields":{"at.latitude":57.05}}"# + "\n")
        #expect(
            try folder.output("records query a.records -t Book -n 2 --fields title,author.name -f csv 2>next")
                == "@id,title,author.name\nBook/1,T1,Bo\nBook/2,T2,Ada\n")
        let line = #"{"id":"A/1","fields":{"a.b":1,"first name":2,"a":{"b":3,"c,d":4}}}"# + "\n"
        #expect(
            try folder.output(#"records dump - --fields '"a.b",a.b' -f csv"#, input: line)
                == "@id,\"\"\"a.b\"\"\",a.b\nA/1,1,3\n")
        #expect(
            try folder.output(#"records dump - --fields '"a.b",first name,a."c,d"' -f csv"#, input: line)
                == "@id,a.b,first name,\"a.\"\"c,d\"\"\"\nA/1,1,2,4\n")
    }

    @Test func searchLooksIntoAllFields() throws {
        let folder = try folder()
        for input in ["a.records", "a.jsonl", "-"] {
            func ids(_ options: String) throws -> String {
                try folder.output("records query \(input) \(options)", input: Self.lines)
            }
            #expect(try ids("--search ADA --ids | sort | tr '\\n' ' '") == "Author/ada Book/2 Book/4 Book/6 Book/8 ")
            #expect(try ids("--search author/ada -t Book -w 'year < 1992' --count") == "2\n")
            #expect(try ids("--search t1 --group-by author") == #"{"group":{"$ref":"Author/bo"},"count":1}"# + "\n")
            #expect(try ids("--search nothing -t Book --count") == "0\n")
        }
    }

    @Test func recordsAreLinesOfTypedJSON() throws {
        let folder = try folder()
        #expect(
            try folder.output(
                "records query a.jsonl -t Book --sort=-year --limit 3 --fields year,title 2>next; cat next"
            )
            .hasPrefix(
                """
                {"id":"Book/2","fields":{"year":1992,"title":"T2"}}
                {"id":"Book/5","fields":{"year":1992,"title":"T5"}}
                {"id":"Book/8","fields":{"year":1992,"title":"T8"}}
                next: \

                """))
        #expect(
            try folder.output("records query a.records -t Book | sed 's/,\"metadata.*/}/'")
                == Self.lines.split(separator: "\n").filter { $0.contains("Book") }.map { $0 + "\n" }.joined())
    }

    @Test(arguments: ["a.records", "a.jsonl"]) func pagesFollowEachOther(_ input: String) throws {
        let folder = try folder()
        let query = "records query \(input) -t Book -s year --limit 4"
        let all = try folder.output("records query \(input) -t Book -s year --ids")
        #expect(
            try folder.output(
                """
                \(query) --ids 2>next
                \(query) --ids --after="$(sed -n 's/^next: //p' next)" 2>next
                \(query) --ids --after="$(sed -n 's/^next: //p' next)" 2>next
                cat next
                """) == all)
    }

    @Test func objectHasTheCursor() throws {
        struct Page: Decodable {
            let ids: [String]?
            let records: [Record]?
            let next: String?
        }
        func page(_ options: String) throws -> Page {
            try JSONDecoder().decode(
                Page.self, from: Data(try folder.output("records query a.records -t Book --json \(options)").utf8))
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
        let records = try #require(try page("-w 'year = 1990'").records)
        #expect(records.map(\.id.name) == ["3", "6", "9"])
        #expect(try folder.output("records query a.records -t Book --json --count") == "{\"count\":9}\n")
        #expect(
            try folder.output("records query a.records -t Book --json --ids -w 'year = 0'")
                == "{\"ids\":[],\"next\":null}\n")
        #expect(
            try folder.output("records query a.jsonl -t Author --json --fields name -n 1 -s name | cut -c 1-64")
                == #"{"records":[{"id":"Author/ada","fields":{"name":"Ada"}}],"next":"# + "\n")
    }

    @Test func savesAndDeletionsDoNotShiftPages() async throws {
        let folder = try folder()
        let query = "records query a.records -t Book --limit 4 --ids"
        #expect(try folder.output("\(query) 2>next").hasSuffix("Book/4\n"))
        _ = try folder.output(
            "records import a.records",
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
            "records query a.records -t Book --limit 1 >/dev/null 2>next; "
                + "records query a.records -t Book \(options)")
        #expect(run.status == 2 && run.output == "")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.first ?? "" == "records: \(text) (see 'records query --help')")
        #expect(lines.count == (text.contains("column") ? 3 : 1), "\(lines)")
    }

    @Test(arguments: [
        ("-w \"title = 'á漢' and titel = 1\"", ["  title = 'á漢' and titel = 1", "                    ^"]),
        ("-w 'title = '", ["  title = ", "          ^"]), ("--fields year,titel", ["  year,titel", "       ^"]),
        ("-w 'title = 1\n and ('", []), ("--fields titel", []), ("-t Book,Bok", ["  Book,Bok", "       ^"]),
        ("-s 'year x'", ["  year x", "      ^"]), ("-w '@nam = 1'", ["  @nam = 1", "  ^"]),
    ])
    func caretIsBelowTheMistake(_ options: String, _ lines: [String]) throws {
        let type = options.hasPrefix("-t") ? "" : "-t Book"
        let run = try folder().run("records query a.records \(type) \(options)")
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").dropFirst().map { String($0) } == lines)
    }

    @Test func unknownTypeIsAMistakeOfUse() throws {
        #expect(
            try folder().run("records query a.jsonl -t Bok --count")
                == ToolRun(
                    status: 2, output: "",
                    errors: "records: option '--type': there is no type 'Bok' in a.jsonl; did you mean 'Book'? "
                        + "(see 'records query --help')\n"))
    }

    @Test(arguments: [
        ("--count", "12\n"), ("-t Author,Place --count", "3\n"), ("-t Author -t Place --count", "3\n"),
        ("-t Book,Author -w 'name = Ada or title = T4' --ids | sort", "Author/ada\nBook/4\n"),
        ("-w 'name = Ada or at exists' --ids | sort", "Author/ada\nPlace/x\n"),
        ("-t Author,Place --sort=-name --ids", "Author/bo\nAuthor/ada\nPlace/x\n"),
        ("--group-by name", #"{"group":null,"count":10}|{"group":"Ada","count":1}|{"group":"Bo","count":1}|"#),
        (
            "-t Author,Book --summarize year -f table",
            "count  numbers    sum  average   min   max|   11        9  17919   1991.0  1990  1992|"
        ),
        ("-t Author,Place --explain", "Examines every record of Author.\nExamines every record of Place.\n"),
        ("-t Author -f csv --fields name", "@id,name\nAuthor/ada,Ada\nAuthor/bo,Bo\n"),
        ("-t Author -f table --fields name -n 1 2>next; cut -c 1-5 next", "@name  name\nada    Ada\nnext:\n"),
    ])
    func severalTypesAreOneQuestion(_ options: String, _ answer: String) throws {
        let folder = try folder()
        for command in ["query", "dump"] where command == "query" || !options.contains("next") {
            for input in ["a.records", "a.jsonl", "-"] {
                let output = try folder.output("records \(command) \(input) \(options)", input: Self.lines)
                #expect(output == answer.replacing("|", with: "\n"), "\(command) \(input)")
            }
        }
    }

    @Test func inputWithoutRecordsHasNoneOfAnyType() throws {
        let folder = try ToolFolder()
        _ = try folder.output("records import empty.records")
        for input in ["empty.records", "-"] {
            let query = "records query \(input) -t Bok -w 'a.b = 1'"
            #expect(try folder.output("\(query) --count") == "0\n")
            #expect(try folder.output("\(query) --json") == "{\"records\":[],\"next\":null}\n")
            #expect(try folder.output(query) == "")
        }
    }

    @Test func noRecordIsAPageToo() throws {
        let folder = try folder()
        #expect(
            try folder.output("records query a.records -t Book --limit 0 --json") == "{\"records\":[],\"next\":null}\n")
    }

    @Test func hostileArgumentsAreAnsweredOrRefused() throws {
        let folder = try folder()
        let list = (0..<20_000).map { "\($0 % 7 + 1990)" }.joined(separator: ",")
        #expect(try folder.output("records query a.records -t Book -w 'year in (\(list))' --count") == "9\n")
        let brackets = String(repeating: "(", count: 10_000) + "year = 1990" + String(repeating: ")", count: 10_000)
        #expect(try folder.output("records query a.records -t Book -w '\(brackets)' --count") == "3\n")
        let nots = String(repeating: "not ", count: 901) + "year = 1990"
        #expect(try folder.output("records query a.records -t Book -w '\(nots)' --count") == "6\n")
        let references =
            String(repeating: "author refers to Book where (", count: 17) + "year = 1990"
            + String(repeating: ")", count: 17)
        let refused = try folder.run("records query a.records -t Book -w '\(references)' --count")
        #expect(refused.status == 2)
        #expect(
            refused.errors.hasPrefix("records: option '--where': the filter is too large: it follows 17 references"))
        let run = try folder.run("records query a.records -t Book -w \"$(printf 'title = \\033[31m')\"")
        #expect(run.status == 2)
        #expect(!run.errors.contains("\u{1B}"))
        let invalid = try folder.run("records query a.records -t Book -w \"$(printf 'title = \\377')\"")
        #expect(invalid.status == 2)
        #expect(invalid.errors.hasPrefix("records: argument 6 is not text in UTF-8: 'title = "))
        #expect(try folder.output("records query a.records -t Book --ids -w \"title = 'it''s'\"") == "")
        #expect(
            try folder.output(#"records query a.records -t Book --ids -w 'title != "\u0000\""' | wc -l | tr -d ' '"#)
                == "9\n")
    }

    @Test func outputOnATerminalIsTheSameButForSignsThatItObeys() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let console = Console(outputDescriptor: terminal.slave, errorDescriptor: terminal.slave, environment: [:])
        let printer = QueryPrinter(console: console, isJSON: false, printsIDs: true)
        let record = try Record(id: Record.ID(type: "P", name: "a\u{202E}b"), fields: [:])
        try printer.print(
            RecordPage(records: [record], examinedCount: 1, matchCount: 1))
        #expect(try terminal.read() == "P/a\\u{202e}b\r\n")
    }
}

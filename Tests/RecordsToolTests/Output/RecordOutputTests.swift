import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct RecordOutputTests {
    private let lines = """
        {"id":"P/a","fields":{"n":1,"born":{"$date":"2001-02-03T04:05:06Z"},"tags":["x","y"],"at":{"$location":"1.0;2.0"}}}
        {"id":"P/b","fields":{"n":2.5,"name":"Ada, \\"x\\"","in":{"deep":{"er":3}},"ok":true}}
        {"id":"Q/c","fields":{"name":null,"to":{"$ref":"P/a"}}}

        """

    @Test(arguments: [
        ("n=1", "P/a"), ("n=1.0", "P/a"), ("n>1", "P/b"), ("n>=1", "P/a P/b"), ("n<2.5", "P/a"), ("n<=2.5", "P/a P/b"),
        ("n!=1", "P/b Q/c"), ("n=x", ""), ("born>2001-01-01", "P/a"), ("born<2001-01-01", ""),
        ("tags contains y", "P/a"), ("in.deep.er=3", "P/b"), ("ok=true", "P/b"), ("name=null", "Q/c"),
        ("name~aDA", "P/b"), ("at=1.0;2.0", "P/a"), ("to=P/a", "Q/c"), ("@type!=P", "Q/c"), ("@name>=b", "P/b Q/c"),
        ("@id=P/b", "P/b"), ("n = 1 or @type = Q", "P/a Q/c"), ("to refers to P where (n = 1)", "Q/c"),
        ("to refers to P where (n = 2)", ""), ("not n exists", "Q/c"),
    ]) func conditionsChoose(_ condition: String, _ names: String) throws {
        let output = try ToolFolder().output("records query - --where '\(condition)' --typed", input: lines)
        let ids = output.split(separator: "\n").map { $0.dropFirst(7).prefix(3) }
        #expect(ids.joined(separator: " ") == names)
    }

    @Test func allConditionsMustHold() throws {
        let output = try ToolFolder().output("records query - -w n=1 -w @type=Q", input: lines)
        #expect(output == "")
    }

    @Test(arguments: [
        ("n", "cab"), ("-n", "bac"), ("@name", "abc"), ("-@id", "cba"), ("@type", "abc"), ("-@type", "cab"),
    ])
    func orderIsThatOfAField(_ key: String, _ names: String) throws {
        let output = try ToolFolder().output("records query - --typed --sort='\(key)'", input: lines)
        #expect(output.split(separator: "\n").map { String($0.dropFirst(9).prefix(1)) }.joined() == names)
    }

    @Test func fieldsAreChosenInOrder() throws {
        let output = try ToolFolder().output("records query - --typed --fields name,n --limit 2", input: lines)
        #expect(
            output == """
                {"id":"P/a","fields":{"n":1}}
                {"id":"P/b","fields":{"name":"Ada, \\"x\\"","n":2.5}}

                """)
    }

    @Test func everyTypeHasATable() throws {
        #expect(
            try ToolFolder().output("records query - -f table --fields n,name", input: lines) == """
                P, 2 records
                @name    n  name
                a        1
                b      2.5  Ada, "x"

                Q, 1 record
                @name  n  name
                c         null

                """)
    }

    @Test func csvQuotesWhatItMust() throws {
        #expect(
            try ToolFolder().output("records query - P -f csv", input: lines) == #"""
                n,born,tags,at,name,in,ok
                1,2001-02-03T04:05:06Z,"[""x"",""y""]",1.0;2.0,,,
                2.5,,,,"Ada, ""x""","{""deep"":{""er"":3}}",true

                """#)
    }

    /// Every kind of value, as a line.
    private static let kinds =
        #"{"id":"A/1","fields":{"s":"a|b","n":1.5,"d":{"$date":"2001-02-03T04:05:06Z"},"b":{"$bytes":"aGk="},"#
        + #""at":{"$location":"1.0;2.0"},"to":{"$ref":"A/2"},"big":{"$map":{"$decimal":"18446744073709551615"}},"#
        + #""l":[{"$ref":"A/3"},null],"m":{"x":{"$date":"2001-02-03T04:05:06Z"}},"none":null}}"# + "\n"

    @Test(arguments: [
        (
            "A -f jsonl",
            #"{"s":"a|b","n":1.5,"d":"2001-02-03T04:05:06Z","b":"aGk=","at":"1.0;2.0","to":"A/2","#
                + #""big":18446744073709551615,"l":["A/3",null],"m":{"x":"2001-02-03T04:05:06Z"},"none":null}"# + "\n"
        ),
        ("-f json --fields s,to", "[\n{\"@id\":\"A/1\",\"s\":\"a|b\",\"to\":\"A/2\"}\n]\n"),
        (
            "A -f json --fields s,@id,@type,@name",
            "[\n{\"s\":\"a|b\",\"@id\":\"A/1\",\"@type\":\"A\",\"@name\":\"1\"}\n]\n"
        ),
        (
            "A -f tsv",
            "s\tn\td\tb\tat\tto\tbig\tl\tm\tnone\n"
                + "a|b\t1.5\t2001-02-03T04:05:06Z\taGk=\t1.0;2.0\tA/2\t18446744073709551615\t[\"A/3\",null]\t"
                + "{\"x\":\"2001-02-03T04:05:06Z\"}\t\n"
        ),
        ("A -f markdown --fields s,n", "| s | n |\n| --- | ---: |\n| a\\|b | 1.5 |\n"),
        ("-f csv --fields n", "@id,n\nA/1,1.5\n"), ("A -f csv --fields none", "none\n\"\"\n"),
    ])
    func plainFormatsHaveValuesWithoutTheirKinds(_ options: String, _ text: String) throws {
        #expect(try ToolFolder().output("records query - \(options)", input: Self.kinds) == text)
    }

    @Test func typedLinesAreReadBack() throws {
        let folder = try ToolFolder()
        #expect(try folder.output("records query - --typed", input: Self.kinds) == Self.kinds)
        #expect(try folder.output("records query - -f json --typed", input: Self.kinds) == "[\n\(Self.kinds)]\n")
        _ = try folder.output("records copy - a.records", input: Self.kinds)
        #expect(
            try folder.output("records query a.records --typed | records diff a.records -; echo $?") == "0\n")
        #expect(
            try folder.output("records query - A --typed --group-by to", input: Self.kinds)
                == #"{"to":{"$ref":"A/2"},"count":1}"# + "\n")
    }

    @Test(arguments: ["json", "jsonl", "csv", "tsv", "markdown"], [#"{"$double":"nan"}"#, #"{"$double":"-inf"}"#])
    func valueThatJSONDoesNotHoldIsRefused(_ format: String, _ value: String) throws {
        for value in [value, "[{\"x\":\(value)}]"] {
            let line = "{\"id\":\"A/1\",\"fields\":{\"n\":\(value)}}\n"
            let run = try ToolFolder().run("records query - A -f \(format)", input: line)
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("records: A/1, field 'n': JSON has no number for "))
            #expect(run.errors.hasSuffix("'--typed' prints it\n"))
            #expect(try ToolFolder().output("records query - A --typed", input: line) == line)
        }
    }

    @Test func signsOfAFormatDoNotEndACell() throws {
        let line = #"{"id":"A/1","fields":{"a":"x\ty\\z\n|*_<b>\r","b|":"`&"}}"# + "\n"
        func text(_ format: String) throws -> String {
            try ToolFolder().output("records query - A -f \(format)", input: line)
        }
        #expect(try text("tsv") == "a\tb|\nx\\ty\\\\z\\n|*_<b>\\r\t`&\n")
        #expect(
            try text("markdown")
                == "| a | b\\| |\n| --- | --- |\n| x\ty\\\\z<br>\\|\\*\\_\\<b>&#13; | \\`\\& |\n")
    }

    @Test func deepValuesAreWrittenWithoutRecursion() throws {
        let depth = 900
        let value = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        let line = "{\"id\":\"A/1\",\"fields\":{\"n\":\(value)}}\n"
        #expect(try ToolFolder().output("records query - A -f jsonl", input: line) == "{\"n\":\(value)}\n")
    }

    @Test func severalTypesShareTheColumnsOfCSV() throws {
        #expect(
            try ToolFolder().output("records query - -f csv --fields n,name", input: lines)
                == "@id,n,name\nP/a,1,\nP/b,2.5,\"Ada, \"\"x\"\"\"\nQ/c,,\n")
    }

    @Test func csvGuardsFormulasOnRequest() throws {
        let lines = """
            {"id":"P/1","fields":{"=a":"=1+1","b":-5,"c":"-5","d":"plain","e":"@x, y"}}

            """
        #expect(
            try ToolFolder().output("records query - P -f csv", input: lines)
                == "=a,b,c,d,e\n=1+1,-5,-5,plain,\"@x, y\"\n")
        #expect(
            try ToolFolder().output("records query - P -f csv --guard-formulas", input: lines)
                == "'=a,b,c,d,e\n'=1+1,-5,'-5,plain,\"'@x, y\"\n")
    }

    /// A quote and a mark that combines with it are one character, and so are U+0600 and the quote after it.
    @Test(arguments: ["\"\u{301},=2", "\u{600}\",=2", "\"\u{200D}\n=2", "\"\u{301}"], [false, true])
    func csvCellEndsAtItsOwnQuote(_ text: String, _ isGuarded: Bool) throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let output = Output(descriptor: fileno(file))
        let rows = RowPrinter(output: output, format: .csv, isForTerminal: false, guardsFormulas: isGuarded)
        try rows.printHeader(["a", text])
        try rows.print([(0, rows.cell(.string(text))), (1, rows.cell(1))], columnCount: 2)
        try output.flush()
        rewind(file)
        let bytes = try FileHandle(fileDescriptor: fileno(file)).readToEnd() ?? Data()
        #expect(Self.cells(of: bytes) == [["a", text], [text, "1"]].map { $0.map { Data($0.utf8) } })
    }

    /// The cells of comma-separated values, as a program that goes from byte to byte reads them.
    private static func cells(of bytes: Data) -> [[Data]] {
        var rows: [[Data]] = [[Data()]]
        var (isQuoted, isBehindQuote) = (false, false)
        for byte in bytes {
            let end = (rows.count - 1, rows[rows.count - 1].count - 1)
            defer { isBehindQuote = byte == UInt8(ascii: "\"") }
            switch byte {
            case UInt8(ascii: "\""):
                // The second one of two is in the cell, and the first one has not ended it.
                if isBehindQuote, !isQuoted { rows[end.0][end.1].append(byte) }
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: rows[end.0].append(Data())
            case UInt8(ascii: "\n") where !isQuoted: rows.append([Data()])
            default: rows[end.0][end.1].append(byte)
            }
        }
        return rows.dropLast()
    }

    @Test func commasBeforeMarksSeparateFields() throws {
        let line = #"{"id":"P/a","fields":{"n":1,"\u0301m":2,"x":3}}"# + "\n"
        #expect(
            try ToolFolder().output("records query - --typed --fields 'n,\u{301}m'", input: line)
                == #"{"id":"P/a","fields":{"n":1,"\#u{301}m":2}}"# + "\n")
    }

    /// What goes out on a terminal is the same but for what it would not show, or obey.
    @Test(arguments: [
        ["query", "-f", "jsonl"], ["query", "--typed"], ["query", "-f", "json"], ["get", "-f", "jsonl"],
        ["get", "-f", "json"], ["copy", "-"],
        ["query", "P", "-f", "json", "--next"], ["query", "P", "-f", "json", "--ids"],
        ["log", "--json"], ["nest"], ["nest", "--compact"], ["flatten", "-f", "jsonl"],
    ])
    func jsonOnATerminalHasNoInvisibleText(_ command: [String]) async throws {
        let hidden = "a\u{202E}b\u{200B}c\u{3164}d\u{FEFF}e\u{2066}f\u{E0041}g\u{AD}"
        let folder = try ToolFolder()
        try folder.write([#"{"id":"\#(hidden)","\#(hidden)":"\#(hidden)"}"#], to: "P.json")
        try await folder.save([#"{"id":"P/\#(hidden)","fields":{"\#(hidden)":"\#(hidden)"}}"#], to: "a.records")
        let file = folder.path(command[0] == "flatten" ? "P.json" : "a.records")
        let names = ["get", "nest"].contains(command[0]) ? ["P/\(hidden)"] : []
        let arguments = [command[0], file] + names + command.dropFirst()
        let terminal = try PseudoTerminal(columns: 80)
        let console = Console(outputDescriptor: terminal.slave, errorDescriptor: -1, environment: [:])
        #expect(await Records.program.run(arguments, console: console) == .done)
        let shown = try terminal.read().replacing("\r\n", with: "\n")
        let escaped = #"a\u202eb\u200bc\u3164d\ufeffe\u2066f\udb40\udc41g\u00ad"#
        let plain = try await ToolRun.of(Records.program, arguments).output
        #expect(plain.contains(hidden))
        #expect(shown == plain.replacing(hidden, with: escaped))
    }

    @Test func csvOnATerminalHasNoControlCharacters() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let output = Output(descriptor: terminal.slave)
        let rows = RowPrinter(output: output, format: .csv, isForTerminal: true, guardsFormulas: false)
        try rows.print([(0, rows.cell("\u{1B}[31mred\u{7}\nnext"))], columnCount: 1)
        try output.flush()
        let text = try terminal.read()
        #expect(text.unicodeScalars.allSatisfy { $0 == "\r" || $0 == "\n" || $0.value >= 0x20 })
        #expect(text.contains("red"))
    }

    @Test func csvOfAFileIsThatOfItsLines() throws {
        let folder = try SchoolFile.folder()
        let csv = try folder.output("records query school.records Student -f csv")
        #expect(try folder.output("records copy school.records - | records query - Student -f csv") == csv)
        #expect(csv.split(separator: "\n").count == 3)
    }

    @Test func linesAreGoneThroughASecondTimeFromTheirStart() async throws {
        let folder = try ToolFolder()
        try folder.write(lines, to: "lines.jsonl")
        let input = try await RecordInput(folder.path("lines.jsonl"))
        #expect(input.canBeReadAgain)
        var counts: [Int] = []
        for _ in 1...2 {
            var count = 0
            for try await _ in input.records() { count += 1 }
            counts.append(count)
            input.rewind()
        }
        #expect(counts == [3, 3])
    }

    @Test func noColumnOccursTwice() throws {
        let folder = try ToolFolder()
        try folder.write(
            [#"{"id":"A/a","fields":{"n":1,"@name":"x","@id":"y","\"@id\"":"z"}}"#], to: "a.jsonl")
        #expect(
            try folder.output(#"records query a.jsonl A --format csv --fields 'n,n,"@id",n'"#)
                == "n,@id\n1,y\n")
        #expect(
            try folder.output(#"records query a.jsonl A --format csv --fields '@id,"@id"'"#)
                == "@id,\"\"\"@id\"\"\"\nA/a,y\n")
        #expect(
            try folder.output("records query a.jsonl A --format jsonl")
                == #"{"n":1,"@name":"x","@id":"y","\"@id\"":"z"}"# + "\n")
        #expect(
            try folder.output("records query a.jsonl --format jsonl")
                == #"{"@id":"A/a","n":1,"@name":"x","\"@id\"":"y","\"\"@id\"\"":"z"}"# + "\n")
        #expect(
            try folder.output("records query a.jsonl A --format table") == """
                @name  n  "@name"  "@id"  ""@id""
                a      1  x        y      z

                """)
        #expect(try folder.output("records query a.jsonl A -f table --fields n,n") == "@name  n\na      1\n")
    }

    @Test func fieldThatRepeatsTheNameHasNoColumn() throws {
        let folder = try ToolFolder()
        let lines = ["7", "8"].map { "{\"id\":\"A/\($0)\",\"fields\":{\"id\":\($0),\"n\":1}}" }
        try folder.write(lines, to: "a.jsonl")
        #expect(try folder.output("records query a.jsonl A -f table") == "@name  n\n7      1\n8      1\n")
        #expect(try folder.output("records query a.jsonl A -f table --fields id -n 1") == "@name  id\n7       7\n")
    }

    /// What a record takes does not grow with the fields that others have.
    @Test func recordHasAValueForEachOfItsOwnFieldsAlone() throws {
        let columns = FieldColumns((0..<10_000).map { "f\($0)" } + ["f7"])
        let record = try ToolFolder.record(#"{"id":"A/1","fields":{"f9999":1,"other":2,"f7":3}}"#)
        let values = columns.values(of: record)
        #expect(values.map(\.column) == [7, 9_999])
        #expect(values.map(\.value) == [3, 1])
    }

    @Test(arguments: ["csv", "table"]) func fieldsThatOneRecordAloneHasAreInTheirColumns(_ format: String) throws {
        let count = 300
        let lines = (0..<count).map { "{\"id\":\"P/\($0)\",\"fields\":{\"f\($0)\":\($0)}}\n" }.joined()
        let output = try ToolFolder().output("records query - P -f \(format)", input: lines)
        let rows = output.split(separator: "\n").dropFirst()
        #expect(rows.count == count)
        for (number, row) in rows.enumerated() {
            if format == "csv" {
                let commas = (before: String(repeating: ",", count: number), after: count - 1 - number)
                #expect(row == "\(commas.before)\(number)" + String(repeating: ",", count: commas.after))
            } else {
                #expect(row.split(separator: " ") == ["\(number)", "\(number)"])
            }
        }
        let positions = rows.map { $0.utf8.count }
        if format == "table" { #expect(positions == positions.sorted() && Set(positions).count == count) }
    }

    @Test func manyRecordsOfManyTypesAreLinesOfOneTable() throws {
        let many = (1...1_500).map { "{\"id\":\"T\($0 % 3)/\($0)\",\"fields\":{\"n\":\($0)}}\n" }.joined()
        let output = try ToolFolder().output("records query - -f table", input: many).split(separator: "\n")
        #expect(output.count == 1_501)
        #expect(output.first?.hasPrefix("@id") == true)
        #expect(output.last?.hasPrefix("T0/1500") == true)
    }

    @Test func orderGoesOnByTheNextField() throws {
        let lines = [("a", 1, 2), ("b", 1, 1), ("c", 0, 3)].map {
            #"{"id":"P/\#($0.0)","fields":{"x":\#($0.1),"y":\#($0.2)}}"# + "\n"
        }
        let output = try ToolFolder().output("records query - --typed -s x -s y -n 2", input: lines.joined())
        #expect(output.split(separator: "\n").map { String($0.dropFirst(9).prefix(1)) }.joined() == "cb")
    }

    @Test(arguments: [
        ("Bok", "TYPE: there is no type 'Bok' in IN; did you mean 'Book'?"),
        (
            "Book --where 'titel = x'",
            "option '--where', column 1: no record of the type Book in IN has a field 'titel'; did you mean 'title'?"
        ),
        (
            "--where 'title = x and cover.color = red'",
            "option '--where', column 15: no record in IN has a field 'cover.color'; did you mean 'cover.colour'?"
        ),
        (
            "--where 'cover exists' --where 'a.b = 1'",
            "option '--where' number 2, column 1: no record in IN has a field 'a.b'; did you mean '\"a.b\"'?"
        ),
        (
            "-w 'author refers to Authr where (name = x)'",
            "option '--where', column 18: there is no type 'Authr' in IN; did you mean 'Author'?"
        ),
        (
            "-w 'author refers to Author where (nme = x)'",
            "option '--where', column 32: no record of the type Author in IN has a field 'nme'; did you mean 'name'?"
        ),
        ("--sort=-titel", "option '--sort': no record in IN has a field 'titel'; did you mean 'title'?"),
        ("--fields title,colour", "option '--fields': no record in IN has a field 'colour'"),
        ("Author --fields title", "option '--fields': no record of the type Author in IN has a field 'title'"),
    ])
    func nameThatIsNowhereIsAMistakeOfUse(_ options: String, _ text: String) throws {
        let lines = #"""
            {"id":"Book/1","fields":{"title":"Tides","cover":{"colour":"red"},"a.b":1,"author":{"$ref":"Author/ada"}}}
            {"id":"Author/ada","fields":{"name":"Ada"}}

            """#
        let folder = try ToolFolder()
        _ = try folder.output("records copy - a.records && records copy a.records - > a.jsonl", input: lines)
        for input in ["a.records", "a.jsonl", "-"] {
            let name = input == "-" ? "standard input" : input
            let run = try folder.run("records query \(input) \(options)", input: lines)
            #expect(run.status == 2)
            // What is read only once was printed before it is known that there is no such field.
            if input != "-" { #expect(run.output == "") }
            let line = "records: \(text.replacing("IN", with: name)) (see 'records query --help')\n"
            #expect(run.errors.hasPrefix(line))
        }
    }

    @Test func namesAreRightWithoutRecords() throws {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - empty.records")
        for input in ["empty.records", "-"] {
            let command = "records query \(input) Bok -w 'a = 1' -w 'b refers to C where (d = 1)' --fields e"
            #expect(try folder.output(command) == "")
            #expect(try folder.output(command + " --sort f") == "")
        }
    }

    @Test(arguments: ["name", "=1", "@nothing=1"]) func wrongConditionIsAMistakeOfUse(_ condition: String) throws {
        let run = try ToolFolder().run("records query - --where '\(condition)'", input: lines)
        #expect(run.status == 2)
        #expect(run.output == "")
    }
}

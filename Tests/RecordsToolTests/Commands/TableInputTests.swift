import Foundation
import Testing

/// CSV and TSV as inputs of commands, and several inputs together.
@Suite struct TableInputTests {
    private func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        try folder.write("id,customer,total\n1,10,1.50\n2,11,2.25\n3,10,3.00\n", to: "orders.csv")
        try folder.write("\u{FEFF}id,name\r\n10,Ann\r\n11,\"Bo \"\"B\"\"\"\r\n", to: "customers.csv")
        return folder
    }

    @Test func rowsAreRecordsNamedByTheirID() throws {
        let folder = try folder()
        #expect(
            try folder.output("records copy orders.csv - | head -n 1")
                == "{\"id\":\"Order/1\",\"fields\":{\"id\":1,\"customer\":10,\"total\":1.5}}\n")
        #expect(try folder.output("records get customers.csv Customer/11 | cat").contains("Bo \\\"B\\\""))
    }

    @Test(arguments: [
        ("id,n\n1,a\n1,a\n", "1 2"), ("name,n\nx,1\ny,1\n", "x y"), ("city_id,n\nx,1\ny,1\n", "x y"),
        ("a,b\nx,1\ny,1\n", "1 2"), ("id,name\n,p\n,q\n", "p q"),
    ])
    func rowsWithoutDifferentNamesAreNamedByPosition(_ text: String, _ names: String) throws {
        let folder = try ToolFolder()
        try folder.write(text, to: "cities.csv")
        let ids = names.split(separator: " ").map { "City/\($0)\n" }.joined()
        #expect(try folder.output("records query cities.csv --ids") == ids)
    }

    @Test func tablesAreJoinedByAColumn() throws {
        let folder = try folder()
        let join = "--with customers.csv --refer customer=Customer"
        #expect(
            try folder.output("records query orders.csv Order --ids --where 'customer.name = \"Ann\"' \(join)")
                == "Order/1\nOrder/3\n")
        let run = try folder.run("records query orders.csv Order --fields customer.name --with customers.csv")
        let reason = "'customer' is not a map or a reference, and 'records query --refer' makes references of names"
        #expect(run.errors.contains("has a field 'customer.name'; \(reason) (see"))
        _ = try folder.output("records copy orders.csv shop.records \(join)")
        #expect(try folder.output("records verify shop.records") == "5 records, no problems\n")
        #expect(try folder.output("records get shop.records Customer/11 --refs").contains("Order/2"))
    }

    @Test func valuesMayReferToAnotherFieldThanTheName() throws {
        let folder = try ToolFolder()
        try folder.write("id,name,dept\n1,Ann,A1\n2,Bo,B2\n", to: "people.csv")
        try folder.write("id,code,title\n7,A1,Maps\n8,B2,Tides\n", to: "dept.csv")
        let join = "--with dept.csv --refer dept=Dept.code"
        #expect(
            try folder.output("records query people.csv Person --fields name,dept.title -f csv \(join)")
                == "name,dept.title\nAnn,Maps\nBo,Tides\n")
        let run = try folder.run("records ls people.csv --with dept.csv --refer name=Dept.code")
        #expect(run.errors.contains("no value of 'name' is 'code' of a record of the type 'Dept'"))
        try folder.write("id,code,title\n7,A1,Maps\n8,A1,Tides\n", to: "dept.csv")
        #expect(
            try folder.run("records ls people.csv \(join)")
                == .error(
                    "option '--refer': Dept/7 and Dept/8 have the same 'code', 'A1' (see 'records ls --help')",
                    status: 2))
    }

    @Test(arguments: [
        ("--with other.jsonl", "other.jsonl: has Order/1 with other content than orders.csv"),
        (
            "--refer customer=Customer",
            "option '--refer': no value of 'customer' is the name of a record of the type 'Customer'; the types are Order"
        ),
        (
            "--with customers.csv --refer total=Customer",
            "option '--refer': no value of 'total' is the name of a record of the type 'Customer'"
        ),
        ("--with - --with -", "two inputs cannot both be standard input"),
        ("--delimiter ab", "option '--delimiter' is one ASCII character and not a quote, or 'tab', not 'ab'"),
    ])
    func joinThatFindsNothingIsAnError(_ options: String, _ reason: String) throws {
        let folder = try folder()
        try folder.write("{\"id\":\"Order/1\",\"fields\":{\"total\":9}}\n", to: "other.jsonl")
        let run = try folder.run("records ls orders.csv \(options)")
        #expect(run.status != 0)
        #expect(run.errors.contains(reason))
    }

    @Test func equalRecordsOfTwoInputsAreOne() throws {
        let folder = try folder()
        #expect(try folder.output("records query orders.csv --with orders.csv --count") == "3\n")
    }

    @Test func delimiterIsThatOfTheSuffixOrTheOption() throws {
        let folder = try ToolFolder()
        try folder.write("id;n\na;1\n", to: "a.csv")
        try folder.write("id\tn\na\t1\n", to: "a.tsv")
        let line = "{\"id\":\"A/a\",\"fields\":{\"id\":\"a\",\"n\":1}}\n"
        #expect(
            try folder.run("records copy a.csv -").errors
                == "records: a.csv: found ';' between values: add the option --delimiter=';'\n")
        #expect(try folder.output("records copy a.csv - --delimiter ';'") == line)
        #expect(try folder.output("records copy a.tsv -") == line)
        #expect(
            try folder.output("records copy - - --delimiter tab < a.tsv")
                == line.replacingOccurrences(of: "A/a", with: "Item/a"))
        #expect(
            try folder.output("records copy a.tsv - --no-header").hasPrefix(
                "{\"id\":\"A/1\",\"fields\":{\"column1\":\"id\",\"column2\":\"n\"}}\n"))
    }

    @Test(arguments: [
        ("id,n\n1\n", "line 2: the number of values is 1, expected 2 as in the first line"),
        ("id,n\n\n1,2,3\n", "line 3: the number of values is 3, expected 2 as in the first line"),
        ("n,n\n1,2\n", "the column 'n' occurs twice; '--no-header' names columns by numbers"),
    ])
    func rowThatDoesNotFitIsNamed(_ text: String, _ reason: String) throws {
        let folder = try ToolFolder()
        try folder.write(text, to: "x.csv")
        #expect(try folder.run("records ls x.csv") == .error("x.csv: \(reason)"))
    }

    @Test func tableWithoutRowsHasNoRecords() throws {
        let folder = try ToolFolder()
        try folder.write("a,b\n", to: "x.csv")
        try folder.write("", to: "y.csv")
        #expect(try folder.output("records copy x.csv -; records copy y.csv -") == "")
    }

    @Test func columnWithoutANameHasItsNumber() throws {
        let folder = try ToolFolder()
        try folder.write(",b\n0,x\n", to: "x.csv")
        #expect(
            try folder.output("records copy x.csv -") == "{\"id\":\"X/1\",\"fields\":{\"column1\":0,\"b\":\"x\"}}\n")
    }

    @Test func linesOfJSONAreCountedFromAPipe() throws {
        let lines = ["info", "warn", "info"].map { "{\"level\":\"\($0)\"}\n" }.joined()
        let run = try ToolFolder().run("cat | records query - --group-by level -f csv", input: lines)
        #expect(run == ToolRun(status: 0, output: "level,count\ninfo,2\nwarn,1\n", errors: ""))
    }

    @Test(
        arguments: [
            (
                "a.json.gz", [0x1F, 0x8B, 8],
                "is compressed by gzip, which is not read: convert it with 'gzip -dc a.json.gz"
            ),
            ("a.zst", [0x28, 0xB5, 0x2F, 0xFD], "is compressed by zstd"),
            ("a.xlsx", [0x50, 0x4B, 3, 4], "is an Excel file"),
            ("a.zip", [0x50, 0x4B, 3, 4], "is a zip archive"), ("a.parquet", Array("PAR1".utf8), "is a Parquet file"),
            ("a.yaml", Array("- a: 1\n".utf8), "is YAML"), ("a", Array("---\na: 1\n".utf8), "is YAML"),
            ("a.toml", Array("[x]\na = 1\n".utf8), "is TOML"), ("a b", Array("<a/>".utf8), "is XML"),
        ] as [(String, [UInt8], String)])
    func otherFormatIsNamedWithTheCommandThatConvertsIt(_ name: String, _ bytes: [UInt8], _ reason: String) throws {
        let folder = try ToolFolder()
        try Data(bytes).write(to: folder.url.appendingPathComponent(name))
        let run = try folder.run("records ls '\(name)'")
        #expect(run.status == 1 && run.output == "")
        #expect(run.errors.hasPrefix("records: \(name): \(reason)"))
        #expect(run.errors.contains(" | records ls -"))
        if !name.contains(".") || name == "a.json.gz" {
            #expect(try folder.run("records ls - < '\(name)'").errors.hasPrefix("records: standard input: is "))
        }
    }

    @Test func jsonInYAMLIsRead() throws {
        let folder = try ToolFolder()
        try folder.write("[{\"id\": 1}]", to: "a.yaml")
        #expect(try folder.output("records query a.yaml --ids") == "A/1\n")
    }

    @Test func jsonWithCommentsIsRead() throws {
        let folder = try ToolFolder()
        try folder.write("// x\n[{\"id\": 1, /* y */ \"n\": \"//\",},]\n", to: "a.json")
        #expect(try folder.output("records query a.json --ids --where 'n = \"//\"'") == "A/1\n")
        try folder.write("// x\n[{\"id\": 1 \"n\": 2}]\n", to: "a.json")
        #expect(try folder.run("records ls a.json").errors.hasPrefix("records: a.json: line 2, column 11: "))
    }

    @Test func jsonInUTF16IsRead() throws {
        let folder = try ToolFolder()
        let text = "[{\"id\": 1, \"n\": \"ä😀\"}]"
        try #require(text.data(using: .utf16)).write(to: folder.url.appendingPathComponent("a.json"))
        let line = "{\"id\":\"A/1\",\"fields\":{\"id\":1,\"n\":\"ä😀\"}}\n"
        #expect(try folder.output("records query a.json --typed") == line)
        #expect(
            try folder.output("records query - --typed < a.json")
                == line.replacingOccurrences(of: "A/1", with: "Item/1"))
    }

    @Test func delimiterWithoutATableIsAnError() throws {
        let folder = try ToolFolder()
        try folder.write("[1]", to: "a.json")
        let run = try folder.run("records ls a.json --delimiter ,")
        #expect(run.status != 0 && run.errors.contains("option '--delimiter' is for CSV, and no input is CSV"))
    }
}

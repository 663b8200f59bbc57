import Testing

@Suite struct FlattenCommandTests {
    @Test func nestedObjectsArePrintedAsLines() throws {
        let folder = try ToolFolder()
        let input = #"{"id": "a", "n": 1, "child": {"id": 2, "size": 1.0}, "note": {"text": null}, "at": "1.0;2.0"}"#
        #expect(
            try folder.output(
                "records flatten --exactly - --type Root --map child=Child --location at | tail -n +2", input: input)
                    == """
                    {"id":"Child/2","fields":{"id":2,"size":{"$double":1.0}}}
                    {"id":"Root/a","fields":{"id":"a","n":1,"child":{"$ref":"Child/2"},"note":{"text":null},\
                    "at":{"$location":"1.0;2.0"}}}

                    """)
    }

    @Test func typesComeFromKeysAndFromTheNameOfTheFile() throws {
        let folder = try SchoolFile.folder()
        let lines = try folder.output("records flatten --exactly school.json").split(separator: "\n")
        let ids = lines.dropFirst().map { $0.prefix(while: { $0 != "," }) }
        #expect(
            ids == [
                #"{"id":"headOfSchool/ada""#, #"{"id":"reads/2""#, #"{"id":"students/bo""#, #"{"id":"students/cy""#,
                #"{"id":"books/1""#, #"{"id":"school/hilltop""#,
            ])
    }

    @Test func keyOfATypeMayEndWithASignThatPrecedesAnother() throws {
        let input = "{\"id\": \"a\", \"x\u{600}\": {\"id\": 2}}"
        let lines = try ToolFolder().output(
            "records flatten --exactly - --type Root --map 'x\u{600}=Child'", input: input)
        #expect(lines.split(separator: "\n")[1].utf8.starts(with: #"{"id":"Child/2""#.utf8))
    }

    @Test func semicolonOfAnotherScriptIsNoneInALocation() throws {
        let run = try ToolFolder().run(
            "records flatten --exactly - --type A --location at", input: #"{"id": "a", "at": "1.0\u037E2.0"}"#)
        #expect(run.status == 1)
        #expect(run.errors.contains("the form is two decimal numbers: latitude;longitude"))
    }

    @Test func mappingMayBeWrittenByHand() throws {
        let folder = try ToolFolder()
        try folder.write(
            """
            {"types": {"Child": {"paths": ["/child"], "identifier": "key"}, "Root": {"paths": [""], "identifier": "key"}},
             "ignored": ["/secret", "/child/secret"]}
            """, to: "types.json")
        let input = #"{"key": "a", "child": {"key": "b", "secret": 1}, "secret": {"key": 5}}"#
        #expect(
            try folder.output("records flatten - --mapping types.json | tail -n +2", input: input) == """
                {"id":"Child/b","fields":{"key":"b"}}
                {"id":"Root/a","fields":{"key":"a","child":{"$ref":"Child/b"}}}

                """)
    }

    @Test func mappingLeavesNothingToOtherOptions() throws {
        let folder = try ToolFolder()
        try folder.write("{}", to: "types.json")
        let run = try folder.run("records flatten - --mapping types.json --map a=A", input: "{}")
        #expect(run.status == 2)
        #expect(run.errors.contains("option '--map' changes a guess, and option '--mapping' leaves none"))
    }

    @Test func listGivesSeveralRoots() throws {
        let folder = try ToolFolder()
        let run = "records flatten --exactly - --type A --format json | sed 2d"
        #expect(
            try folder.output(run, input: #"[{"id": 1}, {"id": 2}]"#) == """
                [
                {"id":"A/1","fields":{"id":1}},
                {"id":"A/2","fields":{"id":2}}
                ]

                """)
    }

    @Test func failedSaveLeavesTheFileAsItWas() throws {
        let folder = try SchoolFile.folder()
        let before = try folder.output("records copy school.records -")
        let run = try folder.run(
            "records flatten --exactly - --type A --into school.records",
            input: #"[{"id": 1, "n": 1}, {"id": 1, "n": 2}]"#)
        #expect(run.status == 1)
        #expect(try folder.output("records copy school.records -") == before)
    }

    @Test(arguments: [
        ("", "line 1, column 1: found the end, expected a value"),
        (#"{"id": 1,"#, "line 1, column 10: found the end, expected a key in quotes"),
        (#"{"id": 1, "id": 2}"#, "line 1, column 11:"),
        (#"[{"id": 1, "n": 1}, {"id": 1, "n": 2}]"#, "line 1, column 21:"),
    ]) func wrongInputIsReportedWithItsPlace(_ input: String, _ reason: String) throws {
        let run = try ToolFolder().run("records flatten --exactly - --type A", input: input)
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("records: standard input: \(reason)"))
        #expect(run.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test(arguments: ["a=b", "", "é"]) func typeIsStatedForEveryKeyAsTheErrorSays(_ key: String) throws {
        let input = "{\"id\": 1, \"in\": {\"\(key)\": {\"id\": 2}}}"
        let folder = try ToolFolder()
        let run = try folder.run("records flatten --exactly - --type A", input: input)
        #expect(run.status == 1)
        #expect(run.errors.hasSuffix("expected a type: state one with --map '\(key)=Type'\n"))
        let output = try folder.output("records flatten --exactly - --type A --map '\(key)=Type'", input: input)
        #expect(output.contains("\n{\"id\":\"Type/2\",\"fields\":{\"id\":2}}\n"))
    }

    @Test func oneRecordIsSaidAsOne() throws {
        #expect(
            try ToolFolder().output("records flatten --exactly - --type A --into a.records", input: #"{"id": 1}"#)
                == "saved 1 record in a.records: A 1\n")
    }

    @Test func otherContentsUnderTheSameIDAreRefusedUnlessOverwritten() throws {
        let folder = try ToolFolder()
        try folder.write(#"{"users":[{"id":1,"name":"Ira"},{"id":2,"name":"Jo"}]}"#, to: "a.json")
        try folder.write(#"{"users":[{"id":1,"login":"root"},{"id":3,"login":"guest"}]}"#, to: "b.json")
        _ = try folder.output("records flatten a.json -q --into all.records")
        let before = try folder.output("records copy all.records -")
        let run = try folder.run("records flatten b.json -q --into all.records")
        #expect(run.status == 1 && run.errors.contains("User/1") && run.errors.contains("--overwrite"), "\(run)")
        #expect(try folder.output("records copy all.records -") == before)
        let overwritten = try folder.run("records flatten b.json -q --into all.records --overwrite")
        #expect(overwritten.status == 0 && overwritten.errors.contains("1 new, 1 changed"), "\(overwritten)")
    }

    @Test func dryRunHasNoLetter() throws {
        let run = try ToolFolder().run("records flatten - -n", input: "{}")
        #expect(run.status == 2 && run.output == "" && run.errors.contains("-n"), "\(run)")
    }
}

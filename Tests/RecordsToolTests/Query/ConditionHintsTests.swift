import Testing

@testable import records

@Suite struct ConditionHintsTests {
    private static let lines = #"""
        {"id":"P/0","fields":{"all":[]}}
        {"id":"P/a","fields":{"id":1,"born":{"$date":"2001-02-03T00:00:00Z"},"tags":["x"],"isbn":"12","to":{"$ref":"Q/b"},"all":[{"$ref":"Q/b"}]}}
        {"id":"P/b","fields":{"id":2,"ok":true,"zones":[{"n":1}],"mixed":1}}
        {"id":"P/c","fields":{"mixed":"1"}}
        {"id":"Q/b","fields":{"id":2}}

        """#

    @Test(arguments: [
        ("id = \"2\"", "P.id has only integers; write 'id = 2'"),
        ("id < \"2\"", "P.id has only integers; write 'id < 2'"),
        ("id = x", "P.id has only integers, and the condition is for strings"),
        ("id in (\"1\", \"2\")", "P.id has only integers, and the condition is for strings"),
        ("id ~ 2", "P.id has only integers, and the condition is for strings"),
        ("tags = x", "P.tags has only lists; write 'tags contains \"x\"'"),
        ("born = \"2001-02-03\"", "P.born has only dates; write 'born = 2001-02-03'"),
        ("isbn = 12", "P.isbn has only strings; write 'isbn = \"12\"'"),
        ("isbn > 2001-01-01", "P.isbn has only strings, and the condition is for dates"),
        ("to = \"Q/b\"", "P.to has only references to Q; write 'to = Q/b'"),
        ("to = b", "P.to has only references to Q; write 'to = Q/b'"),
        ("to = 5", "P.to has only references to Q; write 'to = Q/5'"),
        ("ok = \"true\"", "P.ok has only Booleans; write 'ok = true'"),
        ("isbn is null", "no record has null in isbn, and it is missing in 3 records: write 'not isbn exists'"),
        ("isbn = null", "no record has null in isbn, and it is missing in 3 records: write 'not isbn exists'"),
        ("zones.n = \"1\"", "P.zones.n has only integers; write 'zones.n = 1'"),
        ("to.id = \"2\"", "P.to.id has only integers; write 'to.id = 2'"),
        ("to = R/b", "P.to has only references to Q; write 'to = Q/R/b'"),
        ("tags = Q/b", "P.tags has only lists; write 'tags contains \"Q/b\"'"),
        ("tags contains Q/b", "P.tags has only lists of strings; write 'tags contains \"Q/b\"'"),
        ("all contains R/b", "P.all has only lists of references to Q; write 'all contains Q/R/b'"),
        ("all = Q/c", "P.all has only lists; write 'all contains Q/c'"),
        (
            "isbn != Q/b and id = 9",
            "P.isbn has only strings, so the condition excludes no record; write 'isbn != \"Q/b\"'"
        ),
        (
            "not id = \"2\" and id = 9",
            "P.id has only integers, so the condition excludes no record; write 'id = 2'"
        ),
        (
            "isbn not in (12) and id = 9",
            "P.isbn has only strings, so the condition excludes no record, and the condition is for numbers"
        ),
        ("id = 9", nil), ("mixed = 2", nil), ("mixed = x", nil), ("id != 2 and id = 9", nil),
        ("isbn is not null and id = 9", nil), ("all contains Q/c", nil),
    ])
    func conditionOfAnotherKindIsHinted(_ filter: String, _ hint: String?) async throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        let errors = hint.map { "records: hint: \($0)\n" } ?? ""
        for options in [["--count"], ["--next"], [], ["--typed"], ["--group-by", "@name"]] {
            let run = try await ToolRun.of(
                Records.program, ["query", folder.path("a.jsonl"), "P", "-w", filter] + options)
            #expect(run.errors == errors && run.status == 0, "\(options) \(run.errors)")
        }
    }

    @Test func conditionThatExcludesNoRecordIsHintedAndNotUsedForChanges() async throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        let hint = "P.isbn has only strings, so the condition excludes no record; write 'isbn != \"Q/b\"'"
        let run = try folder.run("records query a.jsonl P -w 'isbn != Q/b' --count")
        #expect(run.output == "4\n" && run.errors == "records: hint: \(hint)\n")
        _ = try folder.output("records copy - a.records < a.jsonl")
        for input in ["a.jsonl", "a.records"] {
            for command in ["copy \(input) -", "copy \(input) copy.records"] {
                let run = try folder.run("records \(command) P -w 'isbn != Q/b'")
                #expect(run.status == 0 && run.errors == "records: hint: \(hint)\n", "\(run)")
                let none = try folder.run("records \(command) P -w 'isbn = 12'")
                #expect(none.errors == "records: hint: P.isbn has only strings; write 'isbn = \"12\"'\n", "\(none)")
            }
        }
        for command in ["set a.records id=5", "delete a.records -y"] {
            let run = try folder.run("records \(command) P -w 'isbn != Q/b'")
            #expect(run.status == 2 && run.errors.contains(hint), "\(run)")
            let none = try folder.run("records \(command) P -w 'isbn = 12'")
            #expect(none.status == 0 && none.errors.contains("hint: P.isbn has only strings"), "\(none)")
        }
        #expect(try folder.output("records query a.records --count") == "5\n")
    }

    @Test func conditionOnMissingValuesIsUsedForChanges() throws {
        let folder = try ToolFolder()
        try folder.write([#"{"id":"P/a","fields":{"state":null,"tags":[]}}"#], to: "a.jsonl")
        _ = try folder.output("records copy - a.records < a.jsonl")
        for condition in ["state != done", "tags != done", "not state in (done)"] {
            let run = try folder.run("records set a.records P -w '\(condition)' state=done --dry-run")
            #expect(run.output.hasSuffix("1 record would be changed, 0 as before\n") && run.errors.isEmpty, "\(run)")
        }
    }

    @Test func answersAndPagesHaveNoHint() async throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        for options in [
            ["-w", "id = \"2\" or id = 2"], ["-w", "id = x", "--limit", "0"], ["-w", "id = x", "--explain"],
        ] {
            let run = try await ToolRun.of(Records.program, ["query", folder.path("a.jsonl")] + options)
            #expect(run.errors == "" && run.status == 0)
        }
    }
}

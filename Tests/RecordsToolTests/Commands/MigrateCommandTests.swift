import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct MigrateCommandTests {
    private func school() async throws -> ToolFolder {
        let folder = try ToolFolder()
        try await folder.save(
            [
                #"{"id":"Student/bo","fields":{"title":"Bo","friend":{"$ref":"Student/cy"}}}"#,
                #"{"id":"Student/cy","fields":{"title":"Cy","active":false}}"#,
                #"{"id":"School/s","fields":{"students":[{"$ref":"Student/bo"},{"$ref":"Student/cy"}]}}"#,
                #"{"id":"Book/1","fields":{"pages":7}}"#,
            ], to: "a.records")
        return folder
    }

    private let rules = "--type Student=Pupil --field Student.title=name --default Pupil.active=true"

    @Test func typesAndFieldsAreRenamedAndDefaultsAdded() async throws {
        let folder = try await school()
        #expect(
            try folder.run("records migrate a.records --yes \(rules)")
                == ToolRun(status: 0, output: "a.records: 4 records, 3 rewritten (2 with another type)\n", errors: ""))
        let lines = try folder.run("records copy a.records -").output
        #expect(lines.contains(#""id":"Pupil/bo""#) && lines.contains(#""name":"Bo""#) && !lines.contains("Student"))
        #expect(lines.contains(#""active":true"#) && lines.contains(#""active":false"#))
        #expect(try folder.run("records verify a.records").status == 0)
        let hint = "option '--field': no record of the type Pupil in a.records has a field 'title'"
        #expect(
            try folder.run("records migrate a.records --yes \(rules)")
                == ToolRun(
                    status: 0, output: "a.records: 4 records, 0 rewritten\n", errors: "records: hint: \(hint)\n"))
    }

    @Test func dryRunChangesNothing() async throws {
        let folder = try await school()
        let before = try Data(contentsOf: folder.url.appendingPathComponent("a.records"))
        #expect(
            try folder.run("chmod -w a.records; records migrate a.records --yes \(rules) --dry-run")
                == ToolRun(
                    status: 0, output: "a.records: 4 records, 3 would be rewritten (2 with another type)\n", errors: "")
        )
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("a.records")) == before)
    }

    @Test func recordThatCannotBeChangedIsReported() async throws {
        let folder = try await school()
        let other = #"{"id":"Pupil/cy","fields":{"name":"another"}}"#
        #expect(try folder.run("records copy - a.records", input: other + "\n").status == 0)
        let run = try folder.run("records migrate a.records --yes \(rules)")
        #expect(run.status == 1)
        #expect(
            run.output.hasPrefix(
                "Student/cy: another record Pupil/cy exists: delete one of the two\na.records: 5 records, "))
        #expect(run.output.hasSuffix(", 1 not changed\n"))
    }

    @Test(arguments: [
        (
            "--field Student.titel=name",
            "option '--field': no record of the type Student in a.records has a field 'titel'; did you mean 'title'?"
        ),
        (
            "--field Student.frend=title",
            "option '--field': no record of the type Student in a.records has a field 'frend'; did you mean 'friend'?"
        ),
        ("--type Student", "option '--type' must have the form OLD=NEW, not 'Student'"),
        ("--field title=name", "option '--field' is TYPE.OLD=NEW, not 'title=name'"),
        ("--default Person.active", "option '--default' is TYPE.FIELD=VALUE, not 'Person.active'"),
        (
            "--default Person.city=Oban",
            "option '--default' has no JSON value in 'Person.city=Oban': a string is written as '\"Oban\"'"
        ),
        ("", "nothing to change: use '--type', '--field' or '--default'"),
        ("--type A=B --type A=C", "option '--type' gives 'A' two types, 'B' and 'C'"),
    ])
    func rulesThatAreNotUnderstoodAreRefused(_ rules: String, _ message: String) async throws {
        let folder = try await school()
        let run = try folder.run("records migrate a.records --yes \(rules)")
        #expect(run == .error("\(message) (see 'records migrate --help')", status: 2))
    }

    @Test(arguments: ["--type A=B --type B=A", "--type 'A=no type'"])
    func typesThatNoRecordCanHaveAreRefused(_ rules: String) async throws {
        let folder = try await school()
        #expect(try folder.run("records migrate a.records --yes \(rules)").status == 2)
    }

    @Test(arguments: [
        ("--type Studnet=Pupil", "'--type': there is no type 'Studnet' in a.records; did you mean 'Student'?"),
        (
            "--field Student.title=name --default Boook.pages=1",
            "'--default': there is no type 'Boook' in a.records; did you mean 'Book'?"
        ),
        (
            "--field Teacher.a=b",
            "'--field': there is no type 'Teacher' in a.records; the types are Book, School, Student"
        ),
    ])
    func typeThatOccursNowhereIsRefused(_ rules: String, _ message: String) async throws {
        let folder = try await school()
        let run = try folder.run("records migrate a.records --yes \(rules)")
        #expect(run == .error("option \(message) (see 'records migrate --help')", status: 2))
    }

    @Test func fieldWithADotIsWrittenAfterASlash() async throws {
        let folder = try ToolFolder()
        try await folder.save([#"{"id":"A.B/1","fields":{"x.y":1,"z":2}}"#], to: "a.records")
        let run = try folder.run("records migrate a.records --yes --field A.B/x.y=w --field A.B.z=v")
        #expect(run.output == "a.records: 1 record, 1 rewritten\n")
        #expect(try folder.run("records copy a.records -").output.contains(#""fields":{"w":1,"v":2}"#))
    }

    @Test func marksDoNotHideTheSignsBeforeThem() async throws {
        let folder = try ToolFolder()
        try await folder.save([#"{"id":"A/1","fields":{"\u0301x":1,"z":2}}"#], to: "a.records")
        let run = try folder.run(
            "records migrate a.records --yes --field 'A.\u{301}x=\u{301}w' --field 'A/z=\u{301}v' --default 'A.\u{301}n=3'"
        )
        #expect(run == ToolRun(status: 0, output: "a.records: 1 record, 1 rewritten\n", errors: ""))
        let fields = #""fields":{"\#u{301}w":1,"\#u{301}v":2,"\#u{301}n":3}"#
        #expect(try folder.run("records copy a.records -").output.contains(fields))
    }

    @Test func linesAreNotMigrated() throws {
        let folder = try ToolFolder()
        try folder.write([#"{"id":"A/1","fields":{}}"#], to: "a.jsonl")
        let run = try folder.run("records migrate a.jsonl --type A=B")
        #expect(run.status == 1)
        #expect(try folder.run("records migrate missing.records --type A=B; ls").status == 0)
        #expect(try folder.run("ls").output == "a.jsonl\n")
    }
}

import Foundation
import TestSupport
import Testing

/// Changes by hand: `set`, `edit` and `delete`.
@Suite struct EditingTests {
    /// The fields of a record as typed JSON.
    private func fields(_ id: String, in folder: ToolFolder) throws -> String {
        let line = try folder.output("records get school.records \(id) --typed")
        let end = line.range(of: #","metadata""#)?.lowerBound ?? line.endIndex
        let start = try #require(line.range(of: #""fields":"#)?.upperBound)
        return String(line[start..<end])
    }

    @Test func valueIsReadAsTheKindOfTheFieldThatItReplaces() throws {
        let folder = try SchoolFile.folder()
        let words =
            "name=7 location='1.5;2.5' founded=1922 headOfSchool=Student/bo new:=7 'list:=[1]' list+=2 books+=Book/2 "
            + "'text:=\"x y\"' place:='1;2' day:=2030-01-31 gone:=null"
        let output = try folder.output("records set school.records School/hilltop \(words) --unset students")
        #expect(output.hasSuffix("1 record changed, 0 as before\n"))
        #expect(
            try fields("School/hilltop", in: folder) == """
                {"id":"hilltop","name":"7","location":{"$location":"1.5;2.5"},"founded":1922,\
                "headOfSchool":{"$ref":"Student/bo"},"books":[{"$ref":"Book/1"},{"$ref":"Book/2"}],"new":7,"list":[1,2],\
                "text":"x y","place":{"$location":"1.0;2.0"},"day":{"$date":"2030-01-31T00:00:00Z"},"gone":null}
                """)
    }

    @Test(arguments: [
        ("School/hilltop name=x founded=old", "'founded' of School/hilltop is a number, and 'old' is none"),
        ("School/hilltop headOfSchool=ada", "is a reference such as Person/ada"),
        ("School/hilltop location=here", "is a location such as 57.05;-5.13"),
        ("School/hilltop 'books=[1]'", "is a list or a map: write 'books:=VALUE' with typed JSON"),
        ("School/hilltop founded:=99999999999999999999", "an integer that 64 bits do not hold"),
        ("School/hilltop founded=-9223372036854775809", "'founded' of School/hilltop is a number"),
        ("School/hilltop 'name:=x y'", "several words needs quotes"),
        ("School/hilltop name+=x", "is of the kind string, and '+=' adds to a list"),
        ("School/hilltop books+=x", "is a reference such as Person/ada"),
        (
            "School/hilltop nam=x",
            "no record of the type School in school.records has a field 'nam'; did you mean 'name'? 'nam:=VALUE' adds"
        ), ("School/hilltop -u nam", "option '--unset': no record of the type School"),
        ("School/none name=x", "there is no record School/none"), ("name=x", "needs IDs"),
        ("School/hilltop founded:=1 founded:=2", "'founded' is set twice"),
        ("School/hilltop books+=Book/2 books=Book/1", "'books' is set twice"),
        ("School/hilltop founded:=1 -u founded", "'founded' is set, and removed by '--unset'"),
        ("School/hilltop", "FIELD=VALUE is missing"), ("Bok --all name=x", "did you mean 'Book'?"),
        ("Book name=x", "'Book' is a type: '--where' selects some of its records, '--all' all of them"),
        ("Book Book/1 name=x", "'Book' is a type: give one type, or IDs"),
        ("Book --all -w 'id = 1' name=x", "option '--all' cannot be given together with '--where'"),
        ("Book/1 --all name=x", "needs IDs"), ("Book --all --where", "needs a value"),
        ("School/hilltop location.latitude=x", "'location.latitude' of School/hilltop is a number"),
        ("School/hilltop location.latitude=91", "'location.latitude' cannot be 91.0"),
        ("School/hilltop location.height=5", "is in a location: set 'latitude' or 'longitude' to a number"),
        ("School/hilltop location.latitude.x=5", "is in a location: set 'latitude' or 'longitude' to a number"),
        ("School/hilltop -u location.latitude", "is in a location: set 'latitude' or 'longitude' to a number"),
        ("Student/bo marks.art=1", "'marks.art:=VALUE' adds such a field"),
        ("Student/bo marks.maths.x:=1", "'marks.maths.x' is in a value of the kind number"),
        ("Student/bo marks:={} marks.art:=1", "'marks.art' is in 'marks', which is set too"),
        ("School/hilltop Student/bo name=x", "asks on a terminal only"), ("--new Book/9 -u id", "'--unset' cannot be"),
        ("--new Book/9 Book/10 title=x", "option '--new' needs one TYPE/NAME"),
    ]) func wrongChangeIsAnErrorAndChangesNothing(_ words: String, _ reason: String) throws {
        let folder = try SchoolFile.folder()
        let before = try folder.output("records copy school.records -")
        let run = try folder.run("records set school.records \(words)")
        #expect(run.status != 0 && run.errors.contains(reason), "\(run.errors)")
        #expect(try folder.output("records copy school.records -") == before)
    }

    @Test func missingValueHasTheKindOfTheFieldInOtherRecords() throws {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"P/a","fields":{"at":{"$location":"1;2"},"on":{"$date":"2001-02-03T00:00:00Z"},"code":"x","n":null}}"#,
                #"{"id":"P/b","fields":{"tags":[],"n":1}}"#, #"{"id":"P/c","fields":{"tags":[{"$ref":"Q/1"}]}}"#,
            ], to: "a.jsonl")
        _ = try folder.output("records copy - a.records < a.jsonl")
        let words = "'at=60.1;5.2' on=2030-01-31 code=12 n=2 tags+=Q/2 tags+=Q/3"
        for command in ["set a.records --new P/d", "set a.records P/a P/b --yes"] {
            let run = try folder.run("records \(command) \(words)")
            #expect(run.status == 0 && run.errors.contains("hint: there is no record Q/3"), "\(run)")
        }
        let list =
            "records query a.records P -w 'at = 60.1;5.2 and on = 2030-01-31 and code = \"12\" and n = 2 and tags contains Q/3' --count"
        #expect(try folder.output(list) == "3\n")
        for (words, reason) in [
            ("P/e 'at=60.1'", "'at' of other records of the type P is a location"),
            ("P/e cod=x", "did you mean 'code'?"), ("P/e code=x code=y", "'code' is set twice"),
            ("P/e m:={} m.a:=1", "'m.a' is in 'm', which is set too"),
            ("p/e code=x", "there is no type 'p' in a.records; did you mean 'P'? '--new-type' adds a type"),
        ] {
            let run = try folder.run("records set a.records --new \(words)")
            #expect(run.status == 2 && run.errors.contains(reason), "\(run.errors)")
        }
        _ = try folder.output("records set a.records --new p/e any=1 'at=1;2' on=2030-01-31 text=x/y --new-type")
        #expect(
            try folder.output("records get a.records p/e --typed").contains(
                #"{"any":1,"at":{"$location":"1.0;2.0"},"on":{"$date":"2030-01-31T00:00:00Z"},"text":"x/y"}"#))
    }

    @Test(arguments: ["=", ":="]) func otherTargetKeepsTheActionOfAReference(sign: String) throws {
        let folder = try ToolFolder()
        try folder.write([#"{"id":"P/a","fields":{"of":{"$ref":"Q/1","action":"deleteSelf"}}}"#], to: "a.jsonl")
        _ = try folder.run("records copy - a.records < a.jsonl; records set a.records P/a of\(sign)Q/2")
        #expect(
            try folder.output("records get a.records P/a --typed").contains(
                #""of":{"$ref":"Q/2","action":"deleteSelf"}"#))
    }

    @Test func newReferenceToAMissingRecordIsSavedAndReported() throws {
        let folder = try SchoolFile.folder()
        let set = try folder.run("records set school.records Student --all reads=Book/9 --yes")
        #expect(set.status == 0 && set.output.hasSuffix("2 records changed, 0 as before\n"))
        #expect(
            set.errors == "records: hint: there is no record Book/9, which is referred to at 'reads' in record "
                + "Student/bo, field 'reads'\n")
        #expect(try folder.output("records set school.records Student/bo age:=9").hasSuffix("0 as before\n"))
        let new = try folder.run("records set school.records --new T/a 'next:=T/a' 'all:=[{\"$ref\":\"T/c\"}]'")
        #expect(new.errors.hasPrefix("records: hint: there is no record T/c, which is"), "\(new)")
    }

    @Test func recordsThatMatchAreChangedTogether() throws {
        let folder = try SchoolFile.folder()
        let all = "records set school.records Student --all name=Bo"
        #expect(try folder.output("\(all) --dry-run").hasSuffix("2 records would be changed, 0 as before\n"))
        #expect(
            try folder.output("records set school.records Student --where 'name ~ \"Cy\"' name=Bo --yes")
                == "~ Student/cy\n    ~ name: \"Cy Rowan\" => \"Bo\"\n1 record changed, 0 as before\n")
        #expect(try folder.output("\(all) --yes").hasSuffix("1 record changed, 1 as before\n"))
    }

    @Test func newRecordHasItsNameOrAnUnusedOne() throws {
        let folder = try SchoolFile.folder()
        #expect(try folder.output("records set school.records --new Person/eve name=Eve age:=3") == "Person/eve\n")
        #expect(try fields("Person/eve", in: folder) == #"{"id":"eve","name":"Eve","age":3}"#)
        #expect(try folder.output("records set school.records --new Book/3 title=Ferns") == "Book/3\n")
        #expect(try fields("Book/3", in: folder) == #"{"id":3,"title":"Ferns"}"#)
        let word = try folder.run("records set school.records --new Book/x")
        #expect(word.errors.contains("are integers, such as Book/1"))
        let run = try folder.run("records set school.records --new Person/eve")
        #expect(run.status == 1 && run.errors.contains("record Person/eve already exists"))
        let dry = try folder.run("records set school.records --new Person/eve --dry-run")
        #expect(dry.status == 1 && dry.output.isEmpty && dry.errors == run.errors)
        let names = try (0..<2).map { _ in try folder.output("records set school.records --new Person") }
        #expect(names[0] != names[1] && names.allSatisfy { $0.hasPrefix("Person/") && $0.utf8.count > 40 })
    }

    @Test func valuesInMapsAndLocationsAreSetByTheirPaths() throws {
        let folder = try SchoolFile.folder()
        let words = "marks.maths=1.25 marks.art:=3 'm.deep:={\"a\":{\"b\":1}}' -u marks.music"
        _ = try folder.output("records set school.records Student/bo \(words)")
        _ = try folder.output("records set school.records Student/bo 'm.deep.a.b=2' 'm.deep.a.c:=x'")
        #expect(
            try fields("Student/bo", in: folder).contains(#""marks":{"maths":1.25,"art":3}"#))
        // A field whose own name has full stops comes before a path.
        #expect(try fields("Student/bo", in: folder).contains(#""m.deep":{"a":{"b":2,"c":"x"}}"#))
        _ = try folder.output("records set school.records School/hilltop location.latitude=5 location.longitude=-6.5")
        #expect(try fields("School/hilltop", in: folder).contains(#""location":{"$location":"5.0;-6.5"}"#))
    }

    @Test func planOfADeletionNamesWhatStaysWithoutAReference() throws {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"State/1","fields":{"cities":[{"$ref":"City/1"},{"$ref":"City/2"}]}}"#,
                #"{"id":"City/1","fields":{}}"#, #"{"id":"City/2","fields":{}}"#,
                #"{"id":"Country/1","fields":{"states":[{"$ref":"State/1"}]}}"#,
            ], to: "a.jsonl")
        _ = try folder.run("records copy a.jsonl a.records")
        let plan = try folder.run("records delete a.records State/1 --clear --dry-run")
        #expect(plan.output.hasSuffix("2 records to which only these refer stay; '--contents' deletes them too\n"))
        let whole = try folder.run("records delete a.records State/1 --clear --contents --dry-run")
        #expect(!whole.output.contains("stay"))
        let blocked = try folder.run("records delete a.records State/1 --dry-run")
        #expect(blocked.errors.contains("'--clear' removes them, and '--dangling' keeps them"))
    }

    @Test func deletionNeedsItsConsequencesStated() throws {
        let folder = try SchoolFile.folder()
        let plan = try folder.run("records delete school.records Book/2 --clear")
        #expect(
            plan.output.hasPrefix(
                "1 record to delete: Book/2\nwould be cleared: Student/bo refers to Book/2 at 'reads'\n"))
        #expect(plan.status == 2 && plan.errors.contains("add '--yes'"))
        #expect(try folder.output("records delete school.records Book/2 --clear --yes --dry-run") == plan.output)
        let denied = try folder.run("records delete school.records Book/2 --yes")
        #expect(
            denied.status == 1
                && denied.errors.hasPrefix(
                    "records: school.records: references prevent the deletion: Student/bo refers to Book/2 at 'reads'; "
                        + "'--clear' removes such references")
        )
        #expect(try folder.output("records delete school.records Book/2 --clear --yes") == "deleted 1 record\n")
        #expect(try folder.output("records verify school.records").hasSuffix("5 records, no problems\n"))
        #expect(
            try folder.output("records delete school.records Student --where 'name ~ \"Cy\"' --dangling --yes")
                == "deleted 1 record\n")
    }

    @Test func textThatIsEditedIsSaved() throws {
        let folder = try SchoolFile.folder()
        try folder.write("#!/bin/sh\nsed -i 's/Hilltop School/Hill School/' \"$1\"\n", to: "editor")
        let run = "chmod +x editor; TMPDIR=$PWD VISUAL=./editor records edit school.records School/hilltop"
        #expect(try folder.output(run) == "~ School/hilltop\n    ~ name: \"Hilltop School\" => \"Hill School\"\n")
        #expect(try folder.output("ls | grep -c records-; true") == "0\n")
    }

    @Test(arguments: [SIGINT, SIGQUIT]) func interruptIsForTheEditor(_ signal: Int32) throws {
        let folder = try SchoolFile.folder()
        let wait = "touch open; while [ ! -e go ]; do sleep 0.01; done"
        try folder.write("#!/bin/sh\n\(wait)\nsed -i 's/Hilltop School/Hill School/' \"$1\"\n", to: "editor")
        _ = try folder.output("chmod +x editor")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.arguments = ["edit", "school.records", "School/hilltop"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["VISUAL": "./editor", "TMPDIR": folder.url.path]
        ) { $1 }
        process.currentDirectoryURL = folder.url
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        try blockUntil("no editor runs") {
            FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("open").path)
        }
        kill(process.processIdentifier, signal)
        try folder.write("", to: "go")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try folder.output("records get school.records School/hilltop").contains("Hill School"))
    }

    @Test func editorThatFailsWithoutAChangeLeavesNoFile() throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("TMPDIR=$PWD EDITOR=false records edit school.records School/hilltop")
        #expect(run == .error("the editor 'false': it ended with status 1; nothing is changed"))
        #expect(try folder.output("ls | grep -c records-; true") == "0\n")
    }

    @Test(arguments: ["sed -i s/{//", "./editor"]) func textThatCannotBeSavedIsKept(_ editor: String) throws {
        let folder = try SchoolFile.folder()
        try folder.write("#!/bin/sh\necho >> \"$1\"\nexit 1\n", to: "editor")
        let before = try folder.output("chmod +x editor; records copy school.records -")
        let run = try folder.run("TMPDIR=$PWD EDITOR='\(editor)' records edit school.records School/hilltop")
        #expect(run.status == 1 && run.errors.contains("your text stays in this file"), "\(run)")
        #expect(try folder.output("cat records-*.json").contains("Hilltop School"))
        #expect(try folder.output("records copy school.records -") == before)
    }

    @Test func onlyExistingDatabasesAreChanged() throws {
        let folder = try SchoolFile.folder()
        for command in ["set FILE Book/1 a=1", "set FILE --new A/1", "edit FILE A/1", "delete FILE A/1"] {
            let words = "records " + command
            let run = try folder.run(words.replacingOccurrences(of: "FILE", with: "school.json"))
            #expect(run.status == 1 && run.errors.contains("is not a database"), "\(run)")
            #expect(try folder.run(words.replacingOccurrences(of: "FILE", with: "none.records")).status == 1)
        }
        #expect(try folder.output("ls | grep -c none; true") == "0\n")
    }
}

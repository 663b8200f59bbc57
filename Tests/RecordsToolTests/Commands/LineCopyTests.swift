import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@Suite struct LineCopyTests {
    @Test func exportedRecordsAreTheSameToTheLastBit() async throws {
        let folder = try ToolFolder()
        let database = try FileRecordDatabase(path: folder.path("a.records"))
        let record = try Record(
            id: Record.ID("A/1"),
            fields: [
                "nan": .double(-.nan), "payload": .double(Double(nan: 5, signaling: false)), "zero": .double(-0.0),
                "date": .date(Date(timeIntervalSinceReferenceDate: -0.0)),
                "none": .date(Date(timeIntervalSinceReferenceDate: -.nan)),
            ])
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        try await database.close()
        _ = try folder.output("records copy a.records - | records copy - b.records")
        #expect(try folder.output("records diff --exactly a.records b.records") == "")
        #expect(try folder.output("records copy a.records b.records").hasPrefix("0 records copied, 1 already present"))
    }

    private func withoutMetadata(_ lines: String) -> [Substring] {
        lines.split(separator: "\n").map {
            $0.prefix(upTo: $0.firstRange(of: ",\"metadata\"")?.lowerBound ?? $0.endIndex)
        }
    }

    @Test func exportTakesTheRecordsOfAQuery() throws {
        let folder = try SchoolFile.folder()
        let export = "records copy school.records -"
        #expect(try folder.output("\(export) Book | grep -c .") == "2\n")
        #expect(
            try folder.output("\(export) Student -w 'reads.title ~ stars' | grep -o Student/..")
                == "Student/bo\nStudent/cy\n")
        #expect(try folder.output("\(export) Book --salvage | grep -c .") == "2\n")
        #expect(
            try folder.run("\(export) --salvage -w 'a = 1'").errors.contains(
                "option '--where' cannot be given together with '--salvage'"))
    }

    @Test func exportedRecordsComeBack() throws {
        let folder = try SchoolFile.folder()
        let lines = try folder.output("records copy school.records -")
        #expect(
            try folder.output("records copy school.records - | records copy - new.records").hasPrefix("saved 6 record"))
        #expect(try withoutMetadata(folder.output("records copy new.records -")) == withoutMetadata(lines))
        // A file of lines is an input too.
        #expect(
            try folder.run("records copy new.records - > new.jsonl; records copy new.jsonl school.records --batch 4")
                .errors == "6 records: 0 new, 0 changed, 6 unchanged\n")
        #expect(Set(try withoutMetadata(folder.output("records copy new.records -"))) == Set(withoutMetadata(lines)))
    }

    @Test func valuesAsDeepAsAFileHoldsComeBack() throws {
        let folder = try ToolFolder()
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}"), ("{\"$map\":{\"$\":", "}}")] {
            let value = String(repeating: opening, count: 1_000) + "0" + String(repeating: closing, count: 1_000)
            let line = "{\"id\":\"A/1\",\"fields\":{\"a\":\(value)}}\n"
            #expect(
                try folder.run("records copy - new.records --overwrite", input: line).output.hasPrefix(
                    "saved 1 record in"))
            #expect(try withoutMetadata(folder.output("records copy new.records -")).first ?? "" == line.dropLast(2))
            #expect(
                try folder.output("records copy new.records - | records copy - again.records --overwrite 2>&-")
                    .hasPrefix("saved 1 record"))
        }
    }

    @Test func exportIsThatOfATypeIfAsked() throws {
        let folder = try SchoolFile.folder()
        #expect(try folder.output("records copy school.records - Book").split(separator: "\n").count == 2)
    }

    @Test(arguments: ["copy new.jsonl a.records", "flatten new.json -q --map a=A --into a.records"])
    func replacedRecordsAreCounted(_ command: String) throws {
        let folder = try ToolFolder()
        try folder.write(
            [#"{"id":"A/1","fields":{"id":"1","n":1}}"#, #"{"id":"A/2","fields":{"n":2,"id":"2"}}"#], to: "old.jsonl")
        let new = [#""id":"1","n":5"#, #""id":"2","n":2"#, #""id":"3","n":3"#]
        try folder.write(new.enumerated().map { #"{"id":"A/\#($0 + 1)","fields":{\#($1)}}"# }, to: "new.jsonl")
        try folder.write(#"{"a":[\#(new.map { "{\($0)}" }.joined(separator: ","))]}"#, to: "new.json")
        _ = try folder.output("records copy old.jsonl a.records")
        let run = try folder.run("records \(command) --overwrite")
        #expect(run.errors == "3 records: 1 new, 1 changed, 1 unchanged\n")
        #expect(run.output.hasPrefix("saved 3 records in a.records"))
    }

    private let lines = """
        {"id":"A/1","fields":{"n":1}}
        {"id":"A/2","fields":{"n":2}}
        {"id":"A/3","fields":{"n":3}

        """

    @Test func failedImportSavesNothing() throws {
        let folder = try ToolFolder()
        let run = try folder.run("records copy - new.records", input: lines)
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("records: standard input: line 3, column "))
        // Nor is there a file then that was not there before.
        #expect(try folder.output("ls") == "")
    }

    @Test func failedImportLeavesExistingRecords() throws {
        let folder = try SchoolFile.folder()
        let before = try folder.output("records copy school.records -")
        #expect(try folder.run("records copy - school.records", input: lines).status == 1)
        #expect(try folder.output("records copy school.records -") == before)
    }

    @Test func importOfNothingMakesAnEmptyFile() throws {
        let folder = try ToolFolder()
        #expect(try folder.output("records copy - new.records").hasPrefix("saved 0 records in new.records\n"))
        #expect(try folder.output("records verify new.records") == "0 records, no problems\n")
    }

    @Test(arguments: ["flatten school.json --into -", "compact -"])
    func standardInputIsNotARecordFileToChange(_ command: String) throws {
        let folder = try SchoolFile.folder()
        #expect(try folder.run("records \(command)").status == 2)
        #expect(try folder.output("ls") == "school.json\nschool.records\n")
    }

    @Test func failedImportInBatchesSaysWhatIsSaved() throws {
        let folder = try ToolFolder()
        let run = try folder.run("records copy - new.records -b 2", input: lines)
        #expect(run.status == 1)
        #expect(run.errors.hasSuffix("; 2 records before that are saved in new.records\n"))
        #expect(try folder.output("records copy new.records -").split(separator: "\n").count == 2)
    }

    @Test func versionsThatAreNotKnownAreRefusedIfAsked() throws {
        let folder = try SchoolFile.folder()
        let old = try folder.output("records get school.records Person/ada --typed")
        #expect(
            try folder.run("records copy - school.records --if-unchanged", input: old).output.hasPrefix(
                "saved 1 record in "))
        // The save has given it another change tag.
        let run = try folder.run("records copy - school.records --if-unchanged", input: old)
        #expect(run.status == 1)
        #expect(run.errors.contains("Person/ada"))
    }

    @Test func recordTwiceIsSavedOnce() throws {
        let folder = try ToolFolder()
        let line = "{\"id\":\"A/1\",\"fields\":{}}\n"
        #expect(
            try folder.output("records copy - new.records", input: line + line).hasPrefix("saved 1 record"))
    }

    @Test func differentRecordsWithOneIDAreRefused() throws {
        let folder = try ToolFolder()
        let lines = (1...2).map { "{\"id\":\"A/1\",\"fields\":{\"n\":\($0)}}\n" }.joined()
        #expect(try folder.run("records copy - new.records", input: lines).status == 1)
        #expect(try folder.output("ls") == "")
    }

    @Test(arguments: ["copy -", "flatten -q school.json --into"]) func lockedFileIsNamed(_ command: String) async throws
    {
        let folder = try SchoolFile.folder()
        let writer = try FileRecordDatabase(path: folder.path("school.records"))
        let run = try folder.run("records \(command) school.records")
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("records: school.records: "))
        try await writer.close()
    }

    @Test func bytesCutOffAnUnfinishedSaveAreReported() throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run(
            "head -c 1500 /dev/zero | tr '\\000' 7 >> school.records; records copy - school.records </dev/null; ls")
        #expect(run.status == 0)
        #expect(
            run.errors
                == "records: school.records: cut 1,500 bytes of an unfinished save off the end and saved them in "
                + "school.records.torn\n")
        #expect(run.output.hasSuffix("school.records.torn\n"))
    }

    @Test func recordsAreGotInTheOrderOfTheirIDs() throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("records get school.records Book/2 Book/9 Book/1 Book/9 -f text")
        #expect(run.status == 1)
        #expect(
            run.output == """
                Book/2
                    id: 2
                    title: "Stars for Beginners"
                    languages: ["en", "gd"]
                Book/1
                    id: 1
                    title: "An Atlas of Clouds"
                    languages: ["en"]

                """)
    }
}

import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@testable import records

/// The command `undo`, after the commands that change records.
@Suite struct UndoTests {
    /// All records without their metadata.
    private func contents(_ folder: ToolFolder, _ name: String = "school.records") throws -> String {
        try folder.output("records copy \(name) - | sed 's/,\"metadata.*//' | sort")
    }

    private func undo(_ folder: ToolFolder, _ words: String = "school.records") throws -> String {
        try folder.output("records undo \(words) --yes")
    }

    /// The commands and the states of the steps, the newest first.
    private func steps(_ folder: ToolFolder, _ name: String = "school.records") throws -> [String] {
        try folder.output("records undo \(name) --list").split(separator: "\n").dropFirst().map { line in
            let words = line.split(separator: " ")
            return ([words[2]] + words.dropFirst(6)).joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("set", "school.records Student/bo name=Bob age:=9"),
        ("set", "school.records Student --all --unset name --yes"),
        ("set", "school.records --new Book/3 title=Ferns"), ("delete", "school.records Book/2 --clear --yes"),
        ("delete", "school.records Student --all --dangling --yes"), ("edit", "school.records School/hilltop"),
        ("copy", "other.jsonl school.records --overwrite --batch 1"),
        ("copy", "other.jsonl school.records Book --overwrite"),
        ("copy", "other.jsonl school.records --overwrite"),
        ("migrate", "school.records -t Student=Pupil -f Book.title=name -b 1 --yes"),
        ("flatten", "other.json -q --type School --map students=Student --into school.records --overwrite"),
    ])
    func changeIsTakenBackAndMadeAgain(_ command: String, _ words: String) throws {
        let folder = try SchoolFile.folder()
        try folder.write("#!/bin/sh\nsed -i 's/Hilltop School/Hill School/' \"$1\"\n", to: "editor")
        try folder.write(
            [#"{"id":"Book/1","fields":{"n":1,"next":{"$ref":"Book/9"}}}"#, #"{"id":"Book/9","fields":{}}"#],
            to: "other.jsonl")
        let document = #"{"id":"hilltop","students":[{"id":"bo","name":"X"},{"id":"di","name":"D"}]}"#
        try folder.write(document, to: "other.json")
        let before = try contents(folder)
        _ = try folder.run("chmod +x editor; VISUAL=./editor records \(command) \(words)")
        let after = try contents(folder)
        #expect(after != before)
        #expect(try steps(folder) == [command])
        #expect(try undo(folder).hasSuffix(" changed, to undo '\(command)'\n"))
        #expect(try contents(folder) == before)
        #expect(try steps(folder) == ["\(command) undone"])
        #expect(try undo(folder).hasSuffix(" changed, to redo '\(command)'\n"))
        #expect(try contents(folder) == after)
        _ = try undo(folder)
        #expect(try contents(folder) == before)
    }

    @Test func planIsShownAndNeedsAnAnswer() throws {
        let folder = try SchoolFile.folder()
        #expect(try folder.run("records undo school.records") == .error("school.records: does not have a step to undo"))
        _ = try folder.output("records set school.records Book/1 title=Sea; records set school.records --new Book/3")
        let plan = "- Book/3\n1 record to change, to undo 'set'\n"
        #expect(try folder.output("records undo school.records --dry-run") == plan)
        let run = try folder.run("records undo school.records")
        #expect(run.status == 2 && run.output == plan && run.errors.contains("add '--yes'"), "\(run)")
        #expect(
            try folder.output("records undo school.records 2 --dry-run")
                == "~ Book/1\n    ~ title: \"Sea\" => \"An Atlas of Clouds\"\n1 record to change, to undo 'set'\n")
        #expect(try folder.run("records undo school.records 3 --yes").errors.contains("has only 2 steps"))
        #expect(try steps(folder) == ["set", "set"])
    }

    @Test func recordsThatHaveChangedAgainPreventTheUndo() throws {
        let folder = try SchoolFile.folder()
        _ = try folder.output("records set school.records Student --all name=Bo --yes")
        _ = try folder.output("records set school.records Student/cy name=Cyd")
        let before = try contents(folder)
        let run = try folder.run("records undo school.records 2 --yes")
        #expect(
            run == .error("school.records: changed again since 'set', so that nothing is undone: Student/cy"), "\(run)")
        #expect(try contents(folder) == before)
        // Other contents prevent it, and not another version.
        _ = try undo(folder)
        #expect(try undo(folder, "school.records 2") == "2 records changed, to undo 'set'\n")
        #expect(try contents(folder).contains("Cy Rowan"))
    }

    @Test func laterReferencePreventsTheUndoAndAnEarlierOneDoesNot() throws {
        let folder = try SchoolFile.folder()
        let set = try folder.run("records set school.records Student/bo reads=Book/3")
        #expect(set.errors.contains("no record Book/3"))
        _ = try folder.output("records set school.records --new Book/3 title=Ferns")
        #expect(try undo(folder) == "1 record changed, to undo 'set'\n")
        _ = try undo(folder)
        _ = try folder.output("records set school.records Student/cy reads=Book/3")
        let before = try contents(folder)
        let run = try folder.run("records undo school.records 2 --yes")
        #expect(run.status == 1 && run.errors.contains("Student/cy"), "\(run)")
        #expect(try contents(folder) == before)
    }

    @Test func referenceThatGetsNoTargetBackIsReported() throws {
        let folder = try SchoolFile.folder()
        _ = try folder.output("records set school.records Student/bo Student/cy reads=Book/1 --yes")
        _ = try folder.output("records delete school.records Book/2 --yes --no-undo")
        let run = try folder.run("records undo school.records --yes")
        #expect(run.status == 0 && run.errors.contains("hint: there is no record Book/2"), "\(run)")
    }

    @Test func uniqueValueThatIsTakenPreventsTheUndo() async throws {
        struct Account: RecordCodable, Identifiable {
            var id: String
            var address: String?
            static let recordType = "UndoneAccount"
            static let schema = RecordSchema(unique: ["address"])
        }
        let folder = try ToolFolder()
        @discardableResult func store<Result>(_ body: (RecordStore) async throws -> Result) async throws -> Result {
            let database = try FileRecordDatabase(path: folder.path("a.records"))
            let result = try await body(RecordStore(database))
            try await database.close()
            return result
        }
        try await store { try await $0.insert([Account(id: "ann", address: "a"), Account(id: "bo", address: "b")]) }
        _ = try folder.output("records set a.records UndoneAccount/ann address=c")
        #expect(try undo(folder, "a.records") == "1 record changed, to undo 'set'\n")
        _ = try undo(folder, "a.records")
        try await store { try await $0.insert([Account(id: "cy", address: "a")]) }
        let before = try contents(folder, "a.records")
        let run = try folder.run("records undo a.records --yes")
        #expect(run.status == 1 && run.errors.contains("'address' in UndoneAccount/ann is unique"), "\(run)")
        #expect(try contents(folder, "a.records") == before)
        _ = try await store { try await $0.update(Account.self, named: "cy") { $0.address = nil } }
        #expect(try undo(folder, "a.records") == "1 record changed, to undo 'set'\n")
        // The value is claimed again.
        await #expect(throws: RecordDatabaseError.self) {
            try await store { try await $0.insert([Account(id: "di", address: "a")]) }
        }
        #expect(!(try folder.run("records verify a.records").output.contains("no claim")))
    }

    @Test func commandThatIsKilledBetweenBatchesLeavesAPartialStep() throws {
        let folder = try SchoolFile.folder()
        let before = try contents(folder)
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.arguments = ["copy", "-", "school.records", "--batch", "1", "--overwrite"]
        process.currentDirectoryURL = folder.url
        process.standardInput = input
        try process.run()
        for id in ["Book/1", "Book/7", "Book/8"] {
            try input.fileHandleForWriting.write(contentsOf: Data("{\"id\":\"\(id)\",\"fields\":{}}\n".utf8))
        }
        try blockUntil("no batch was saved") { try contents(folder).contains("Book/7") }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try contents(folder) != before)
        #expect(try steps(folder) == ["copy partial"])
        #expect(try folder.output("records undo school.records --dry-run").contains("'copy', which ended early"))
        _ = try undo(folder)
        #expect(try contents(folder) == before)
        #expect(try steps(folder) == ["copy undone, partial"])
    }

    @Test func commandThatFailsBetweenBatchesLeavesAPartialStep() throws {
        let folder = try SchoolFile.folder()
        let before = try contents(folder)
        let lines = ["Book/7", "Book/8", "Book/1"].map { "{\"id\":\"\($0)\",\"fields\":{}}\n" }.joined()
        #expect(try folder.run("records copy - school.records --batch 1", input: lines).status == 1)
        #expect(try steps(folder) == ["copy partial"])
        #expect(try undo(folder) == "2 records changed, to undo 'copy'\n")
        #expect(try contents(folder) == before)
    }

    @Test func flattenOfRecordsThatAreEqualKeepsNoStep() throws {
        let folder = try ToolFolder()
        try folder.write(#"{"id": "earth", "cities": [{"id": 1}, {"id": 2}]}"#, to: "world.json")
        _ = try folder.run("records flatten world.json --into w.records")
        let run = try folder.run("records flatten world.json --into w.records --quiet")
        #expect(
            run.errors == "records: 3 records: 0 new, 0 changed, 3 unchanged\n"
                || run.errors.hasPrefix("3 records: 0 new"))
        #expect(try steps(folder, "w.records") == [])
    }

    @Test func interruptedMigrationIsAPartialStepAndSaysSo() async throws {
        let folder = try ToolFolder()
        try await folder.save((0..<2_000).map { "{\"id\":\"A/\($0)\",\"fields\":{\"a\":1}}" }, to: "a.records")
        try folder.write("", to: "errors")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.arguments = ["migrate", "a.records", "--field", "A.a=b", "--batch", "1", "--yes"]
        process.currentDirectoryURL = folder.url
        process.standardError = try FileHandle(forWritingTo: folder.url.appendingPathComponent("errors"))
        try process.run()
        try blockUntil("nothing was rewritten") { try steps(folder, "a.records") == ["migrate partial"] }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        let said = try folder.text(of: "errors")
        #expect(said.hasPrefix("records: interrupted; "), "\(said)")
        #expect(said.hasSuffix(" rewritten; run the same command to continue\n"), "\(said)")
        #expect(try steps(folder, "a.records") == ["migrate partial"])
        _ = try folder.run("records migrate a.records --field A.a=b --yes")
        #expect(try folder.output("records query a.records A --where 'b exists' --count") == "2000\n")
    }

    @Test func copiedFileHasItsOwnSteps() throws {
        let folder = try SchoolFile.folder()
        let before = try contents(folder)
        _ = try folder.output("records set school.records Book/1 title=Sea; cp school.records copy.records")
        _ = try folder.output("records set school.records Book/1 title=Hills")
        #expect(try undo(folder, "copy.records") == "1 record changed, to undo 'set'\n")
        #expect(try contents(folder, "copy.records") == before)
        #expect(try contents(folder).contains("Hills"))
    }

    @Test func stepsAreLeftOutOfCopiesComparisonsCountsAndSynchronization() throws {
        let folder = try SchoolFile.folder()
        _ = try folder.output("records set school.records Book/1 title=Sea")
        let copy = try folder.output("records copy school.records copy.records")
        #expect(copy.hasPrefix("6 records copied from"))
        #expect(try steps(folder, "copy.records") == [])
        #expect(try folder.output("records diff school.records copy.records") == "")
        #expect(try folder.output("records copy school.records copy.records").contains(copy.suffix(33)))
        #expect(
            try folder.output("records sync school.records synced.records")
                == "0 records saved and 0 deleted in school.records, 6 changes sent to synced.records\n")
        #expect(try steps(folder, "synced.records") == [])
        for words in [
            "ls FILE", "query FILE", "ls FILE --sizes", "copy FILE -", "log FILE", "verify FILE",
            "copy FILE - --salvage",
        ] {
            let run = try folder.run("records " + words.replacing("FILE", with: "school.records"))
            #expect(run.status == 0 && !run.output.contains("Undo"), "\(run)")
        }
        let line = #"{"id":"NestedRecords.Undo/1","fields":{}}"#
        #expect(try folder.run("records copy - school.records", input: line).errors.contains("'undo'"))
    }

    @Test func forgettingRemovesStepsAndDeletedRecords() throws {
        let folder = try SchoolFile.folder()
        _ = try folder.output("records set school.records Student/cy name=Cyd")
        _ = try folder.output("records delete school.records Student/bo --clear --yes; records compact school.records")
        let traces = "for name in 'Cy Rowan' 'Bo Alder' Student/bo; do grep -c \"$name\" school.records; done; true"
        #expect(try folder.output("records undo school.records --list | wc -l").contains("3"))
        #expect(try folder.output(traces) != "0\n0\n0\n")
        let before = try contents(folder)
        _ = try folder.output("records compact school.records --forget")
        #expect(try steps(folder) == [])
        #expect(try folder.output(traces) == "0\n0\n0\n")
        #expect(try folder.run("records log school.records").output.contains("deleted") == false)
        #expect(try contents(folder) == before)
    }

    @Test func noStepIsKeptOfFillingAnEmptyDatabaseNorWithoutConsent() throws {
        let folder = try SchoolFile.folder()
        #expect(try steps(folder) == [])
        _ = try folder.output("records copy school.records copy.records")
        _ = try folder.output("records copy school.records - | records copy - lines.records")
        for name in ["copy.records", "lines.records"] { #expect(try steps(folder, name) == []) }
        _ = try folder.output("records set school.records Book/1 title=Sea --no-undo")
        #expect(try steps(folder) == [])
    }

    @Test func contentsOfFormerRecordsAreNotCollected() throws {
        let folder = try SchoolFile.folder()
        try folder.write("hello", to: "note.txt")
        let asset = try folder.output("records assets add school.records note.txt").dropLast()
        _ = try folder.output("records set school.records Book/1 'file:=\(asset)'")
        let before = try contents(folder)
        _ = try folder.output("records set school.records Book/1 -u file; sleep 0.01")
        #expect(try folder.output("records assets collect school.records --older-than 0").hasPrefix("removed 0 "))
        #expect(try folder.output("records assets list school.records").hasSuffix(" 0\n"))
        _ = try undo(folder)
        #expect(try contents(folder) == before)
    }

    @Test func timeOfSavingIsRecognized() throws {
        let folder = try SchoolFile.folder()
        let before = try contents(folder)
        let line = #"{"id":"Book/1","fields":{"at":{"$serverTimestamp":true},"all":[{"$serverTimestamp":true}]}}"#
        _ = try folder.run("records copy - school.records --overwrite", input: line + "\n")
        #expect(try undo(folder) == "1 record changed, to undo 'copy'\n")
        #expect(try contents(folder) == before)
    }

    @Test func damagedStepIsNamed() async throws {
        let folder = try SchoolFile.folder()
        for title in ["Sea", "Hills"] { _ = try folder.output("records set school.records Book/1 title=\(title)") }
        let database = try folder.database("school.records")
        let parts = database.records(ofType: "NestedRecords.UndoPart")
        let heads = database.records(ofType: "NestedRecords.Undo")
        var (partIDs, headIDs) = ([Record.ID](), [Record.ID]())
        for try await part in parts { partIDs.append(part.id) }
        for try await head in heads { headIDs.append(head.id) }
        try await database.commit(RecordBatch(deletingAnyVersionOf: [try #require(partIDs.max())]))
        try await database.close()
        let run = try folder.run("records undo school.records --yes")
        #expect(run.status == 1 && run.errors.contains("NestedRecords.UndoPart/"), "\(run)")
        let again = try folder.database("school.records")
        let head = try Record(id: try #require(headIDs.min()), fields: ["step": "x"])
        try await again.commit(RecordBatch(saving: [head], savePolicy: .overwrite))
        try await again.close()
        let set = try folder.run("records set school.records Book/1 title=Moss")
        #expect(set.status == 1 && set.errors.contains("this record of 'undo' is damaged"), "\(set)")
        #expect(try folder.output("records set school.records Book/1 title=Moss --no-undo").hasSuffix("0 as before\n"))
        _ = try folder.output("records compact school.records --forget; records set school.records Book/1 title=Rain")
        #expect(try steps(folder) == ["set"])
    }

    #if SQLite
    @Test func stepIsKeptInADatabaseOfSQLite() throws {
        let folder = try SchoolFile.folder()
        _ = try folder.output("records copy school.records school.sqlite")
        let before = try contents(folder, "school.sqlite")
        _ = try folder.output("records delete school.sqlite Book/2 --clear --yes")
        #expect(try undo(folder, "school.sqlite") == "3 records changed, to undo 'delete'\n")
        #expect(try contents(folder, "school.sqlite") == before)
        #expect(try folder.output("records migrate school.sqlite -t Student=Pupil -b 1 --yes").contains("3 rewritten"))
        #expect(try undo(folder, "school.sqlite") == "5 records changed, to undo 'migrate'\n")
        #expect(try contents(folder, "school.sqlite") == before)
        #expect(try folder.output("records verify school.sqlite").hasSuffix("6 records, no problems\n"))
    }
    #endif
}

import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct SyncCommandTests {
    private func line(_ name: String, _ number: Int) -> String {
        #"{"id":"A/\#(name)","fields":{"n":\#(number)}}"# + "\n"
    }

    /// A folder with two databases that were synchronized, with a record in each.
    private func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - a.records", input: line("x", 1))
        _ = try folder.output("records copy - b.records", input: line("y", 1))
        #expect(
            try folder.output("records sync a.records b.records")
                == "1 record saved and 0 deleted in a.records, 1 change sent to b.records\n")
        return folder
    }

    private func ids(_ folder: ToolFolder, _ name: String) throws -> String {
        try folder.output("records query \(name).records A --ids")
    }

    @Test func bothDatabasesGetTheChangesOfTheOther() throws {
        let folder = try folder()
        #expect(try ids(folder, "a") == "A/x\nA/y\n")
        #expect(try ids(folder, "b") == "A/x\nA/y\n")
        _ = try folder.output("records delete a.records A/x --yes")
        _ = try folder.output("records set b.records A/y n:=2")
        #expect(
            try folder.output("records sync a.records b.records --dry-run")
                == "A/y would be saved in a.records\nA/x would be deleted in b.records\n")
        #expect(
            try folder.output("records sync a.records b.records")
                == "1 record saved and 0 deleted in a.records, 1 change sent to b.records\n")
        for name in ["a", "b"] { #expect(try ids(folder, name) == "A/y\n") }
        #expect(try folder.output("records query a.records A --where 'n = 2' --ids") == "A/y\n")
        #expect(try folder.output("records sync a.records b.records --dry-run") == "nothing would change\n")
    }

    @Test func selectionToCopyHasNoStateOfASynchronization() throws {
        let folder = try folder()
        _ = try folder.output("records set a.records A/x n:=2")
        _ = try folder.output("records copy a.records part.records --where 'n != 1'")
        #expect(try folder.output("records query part.records A --ids") == "A/x\n")
        // With the state of 'a.records', the record that was not copied would count as deleted.
        _ = try folder.run("records sync part.records b.records")
        #expect(try ids(folder, "b") == "A/x\nA/y\n")
    }

    @Test(arguments: ["", " --overwrite"]) func copyKeepsTheStateOfASynchronizationOfItsTarget(_ option: String) throws
    {
        let folder = try folder()
        _ = try folder.output("records copy - c.records", input: line("z", 1))
        _ = try folder.output("records copy - d.records", input: line("z", 1))
        _ = try folder.output("records sync c.records d.records")
        let copy = try folder.output("records copy a.records c.records\(option)")
        #expect(
            copy.hasPrefix("2 records copied from a.records to c.records\n1 record only in c.records, which stays\n"))
        #expect(
            try folder.output("records sync c.records d.records")
                == "0 records saved and 0 deleted in c.records, 2 changes sent to d.records\n")
        // A database without a synchronization gets the state.
        _ = try folder.output("records copy a.records e.records")
        for command in ["status", "dry-run"] {
            let run = try folder.output("records sync e.records b.records --\(command)")
            #expect(command == "status" || run == "nothing would change\n")
        }
    }

    @Test func recordsOfTheSynchronizationAreNotCompared() throws {
        let folder = try folder()
        let run = try folder.run("records diff a.records b.records")
        #expect((run.output, run.status) == ("", 0))
        _ = try folder.output("records set a.records A/x n:=2")
        #expect(try folder.run("records diff --summary a.records b.records").status == 1)
        #expect(
            try folder.run("records diff a.records b.records").output
                == "~ A/x\n    ~ n: 2 => 1\n")
    }

    @Test func conflictsAreListedAndResolved() throws {
        let folder = try folder()
        _ = try folder.output("records set a.records A/x n:=2; records set b.records A/x n:=3")
        #expect(
            try folder.output("records sync a.records b.records")
                == "1 record saved and 0 deleted in a.records, 0 changes sent to b.records, 1 conflict (see --conflicts)\n"
        )
        #expect(
            try folder.output("records sync a.records b.records --conflicts")
                == "A/x: both changed\n  n: A: 2, B: 3, before: 1\n")
        #expect(
            try folder.output("records sync a.records b.records --status") == "0 to send\n1 conflict\n0 refused\n")
        #expect(try folder.run("records sync a.records b.records --resolve A/y").status == 1)
        #expect(
            try folder.output("records sync a.records b.records --resolve A/x --take local")
                == "resolved the conflict of A/x\n")
        _ = try folder.output("records sync a.records b.records")
        #expect(try folder.output("records query b.records A --where 'n = 2' --ids") == "A/x\n")
        #expect(try folder.output("records sync a.records b.records --conflicts") == "")
    }

    @Test func stateUnderAnotherNameIsFound() throws {
        let folder = try folder()
        #expect(
            try folder.output("records sync a.records b.records --name cloud --status")
                == "not synchronized yet; see --name for records\n0 conflicts\n0 refused\n")
    }

    @Test func wrongUseIsRefused() throws {
        let folder = try folder()
        for words in [
            "a.records a.records", "a.records b.records --take local", "a.records b.records --status --dry-run",
            "a.records b.records --resolve A/x --take both", "a.records -",
        ] {
            #expect(try folder.run("records sync \(words)").status == 2, "\(words)")
        }
        // Looking creates nothing.
        #expect(try folder.run("records sync a.records none.records --dry-run").status == 1)
        #expect(try folder.output("ls") == "a.records\nb.records\n")
    }

    @Test func restoredDatabaseIsNamed() throws {
        let folder = try folder()
        _ = try folder.output("cp b.records old; records set b.records A/x n:=2; records sync a.records b.records")
        let run = try folder.run("mv old b.records; records sync a.records b.records")
        #expect(run.status == 1)
        #expect(run.errors.contains("the remote database is not in the state of the last synchronization"))
    }
}

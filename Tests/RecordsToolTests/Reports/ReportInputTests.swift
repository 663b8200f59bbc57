import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

/// What the commands that report say to inputs that they cannot read.
@Suite struct ReportInputTests {
    /// The commands with `FILE` in place of the input.
    private static let lines = [
        "get FILE A/1 --tree", "graph FILE", "graph FILE A/1", "ls FILE --sizes", "verify FILE", "diff FILE good.jsonl",
        "diff good.jsonl FILE",
    ]

    private func files() async throws -> ToolFolder {
        let folder = try ToolFolder()
        try folder.write([#"{"id":"A/1","fields":{"a":1}}"#], to: "good.jsonl")
        try folder.write(["some text"], to: "text")
        try folder.write([#"{"id":"A/1","fields":{"a":1}}"#, #"{"id":"A/2","fields":{"a":tru}}"#], to: "bad.jsonl")
        try await folder.save(SchoolRecords.sound, to: "cut.records")
        try folder.cut("cut.records", by: 40)
        return folder
    }

    private func run(_ line: String, on name: String, in folder: ToolFolder) throws -> ToolRun {
        try folder.run("records " + line.replacing("FILE", with: name))
    }

    /// The exit status of a failure: 1 of a check is for findings.
    private func failure(of line: String) -> Int32 { line.hasPrefix("verify") || line.hasPrefix("diff") ? 2 : 1 }

    @Test(arguments: lines, ["none", "text", "."])
    func wrongFileIsNamedInOneLine(_ line: String, _ name: String) async throws {
        let run = try run(line, on: name, in: await files())
        #expect(run.status == failure(of: line))
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("records: \(name): "))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: lines.filter { !$0.hasPrefix("verify") })
    func damageIsNamedWithItsFile(_ line: String) async throws {
        let folder = try await files()
        let cut = try run(line, on: "cut.records", in: folder)
        #expect(cut.status == failure(of: line))
        #expect(cut.output == "")
        #expect(cut.errors.hasPrefix("records: the file cut.records is damaged at byte "))
        #expect(cut.errors.split(separator: "\n").count == 1)
        let bad = try run(line, on: "bad.jsonl", in: folder)
        #expect(bad.status == failure(of: line))
        #expect(bad.output == "")
        #expect(bad.errors.hasPrefix("records: bad.jsonl: line 2, column 27: "))
        #expect(bad.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["get FILE A/2 --tree", "graph FILE A/2"])
    func missingRootIsNamed(_ line: String) async throws {
        let run = try run(line, on: "good.jsonl", in: await files())
        #expect(run.status == failure(of: line))
        #expect(run.errors.contains("good.jsonl") && run.errors.contains("A/2"))
    }

    @Test(arguments: ["get FILE A --tree", "graph FILE A", "verify FILE --root A"])
    func stringThatIsNotAnIDIsAUsageError(_ line: String) async throws {
        let run = try run(line, on: "good.jsonl", in: await files())
        let command = line.prefix { $0 != " " }
        #expect(
            run
                == ToolRun(
                    status: 2, output: "",
                    errors:
                        "records: 'A' is not an ID such as Person/ada: the form of an ID is its type, a slash and its "
                        + "name (see 'records \(command) --help')\n"))
    }

    @Test(arguments: ["get FILE A/1 --tree", "graph FILE", "ls FILE --sizes", "verify FILE"])
    func lockedFileCanBeRead(_ line: String) async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        let record = try ToolFolder.record(#"{"id":"A/1","fields":{}}"#)
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        let run = try run(line, on: "a.records", in: folder)
        #expect(run.status == 0)
        #expect(run.errors == "")
        try await database.close()
    }

    @Test(arguments: ["ls FILE --sizes", "verify FILE", "graph FILE", "diff FILE empty"])
    func emptyFileHasNoRecords(_ line: String) throws {
        let folder = try ToolFolder()
        try folder.write([], to: "empty")
        let run = try run(line, on: "empty", in: folder)
        #expect(run.status == 0)
        #expect(run.errors == "")
    }

    @Test func closedPipeEndsQuietly() throws {
        let folder = try ToolFolder()
        try folder.write((0..<20_000).map { #"{"id":"A/\#($0)","fields":{}}"# }, to: "a.jsonl")
        let run = try folder.run("{ records diff /dev/null a.jsonl; echo $? >&2; } | head -n 1")
        #expect(run == ToolRun(status: 0, output: "+ A/0\n", errors: "1\n"))
    }
}

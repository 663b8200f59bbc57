import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@testable import records

@Suite struct CompactCommandTests {
    private func size(_ folder: ToolFolder, _ name: String) throws -> Int {
        try Data(contentsOf: folder.url.appendingPathComponent(name)).count
    }

    @Test func reclaimedBytesAreReported() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        for round in 0..<20 {
            let records = try (0..<50).map { number in
                try ToolFolder.record(#"{"id":"A/\#(number)","fields":{"round":\#(round)}}"#)
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        }
        try await database.close()
        let before = try size(folder, "a.records")
        let run = try folder.run("records compact a.records")
        let after = try size(folder, "a.records")
        #expect(after < before / 5)
        let share = Int((Double(before - after) / Double(before) * 100).rounded())
        let sizes = "\(before.grouped) before, \(after.grouped) after"
        #expect(
            run
                == ToolRun(
                    status: 0, output: "a.records: \((before - after).grouped) bytes reclaimed (\(share)%), \(sizes)\n",
                    errors: ""))
        let records = try folder.run("records ls a.records --sizes")
        #expect(records.output.contains("records         50\n"))
        #expect(records.output.contains("compactions      1\n"))
    }

    @Test func fileWithoutUnusedSpaceGrowsOnceByItsIndex() async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.lines, to: "a.records")
        let before = try self.size(folder, "a.records")
        let first = try folder.run("records compact a.records")
        let after = try self.size(folder, "a.records")
        let sizes = "\(before.grouped) before, \(after.grouped) after"
        #expect(first.output == "a.records: nothing reclaimed, \((after - before).grouped) bytes added, \(sizes)\n")
        let size = after.grouped
        #expect(
            try folder.run("records compact a.records")
                == ToolRun(
                    status: 0, output: "a.records: 0 bytes reclaimed (0%), \(size) before, \(size) after\n", errors: "")
        )
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func interruptedCompactionLeavesTheFileAsItIs(_ signal: Int32) async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        let text = Record.Value.string(String(repeating: "x", count: 1 << 20))
        for number in 0..<10 {
            let record = try Record(id: Record.ID(type: "A", name: "\(number)"), fields: ["text": text])
            try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        }
        try await database.close()
        let before = try size(folder, "a.records")
        try folder.write("", to: "errors")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.currentDirectoryURL = folder.url
        process.arguments = ["compact", "a.records"]
        process.standardError = try FileHandle(forWritingTo: folder.url.appendingPathComponent("errors"))
        try process.run()
        func copies() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.contains(".compacting-") }
        }
        try blockUntil { try !copies().isEmpty }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(
            try folder.text(of: "errors")
                == "records: interrupted; a.records is as it was, and the unfinished copy is removed\n")
        #expect(try copies() == [])
        #expect(try size(folder, "a.records") == before)
        #expect(try folder.run("records verify a.records").status == 0)
    }

    @Test func unfinishedSaveIsKeptBesideTheFile() async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.lines, to: "a.records")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("a.records")))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 7, count: 1_500))
        try file.close()
        let run = try folder.run("records compact a.records")
        #expect(
            run.errors
                == """
                records: a.records: cut 1,500 bytes of an unfinished save off the end and saved them in a.records.torn

                """)
        #expect(run.status == 0)
        #expect(try size(folder, "a.records.torn") == 1_500)
    }

    /// The superuser may write to every folder, so that it needs another user.
    @Test(.enabled(if: geteuid() != 0 || Shell.path(of: "setpriv") != nil))
    func fileThatCannotBeReplacedIsLeftAlone() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        for _ in 0..<20 {
            let records = try (0..<50).map { try ToolFolder.record(#"{"id":"A/\#($0)","fields":{}}"#) }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        }
        try await database.close()
        let line = #"{"id":"A/2","fields":{}}"#
        let user = geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : ""
        func run(_ command: String) throws -> ToolRun {
            try folder.run(
                "chmod 666 a.records\nchmod 555 .\n\(user)records \(command)\nstatus=$?\nchmod 755 .\nexit $status")
        }
        let reason =
            "the file a.records cannot be replaced by a compacted one: the system could not replace the file a.records: "
            + "Permission denied (error 13); 'records copy' makes a compacted copy of it\n"
        let before = try size(folder, "a.records")
        #expect(try run("compact a.records") == ToolRun(status: 1, output: "", errors: "records: \(reason)"))
        #expect(try size(folder, "a.records") == before)
        #expect(try run("ls a.records --sizes").errors == "records: warning: \(reason)")
        #expect(try run("copy - a.records <<'END'\n\(line)\nEND").errors.hasPrefix("records: warning: \(reason)"))
        #expect(try folder.run("records copy a.records b.records").status == 0)
        #expect(try size(folder, "b.records") < before / 2)
    }

    @Test func changeThatLeavesAThirdUnusedIsFollowedByACompaction() throws {
        let folder = try ToolFolder()
        try folder.write((1...6_000).map { #"{"id":"A/\#($0)","fields":{"n":1}}"# }, to: "a.jsonl")
        _ = try folder.output("records copy a.jsonl a.records")
        let run = try folder.run("records set a.records A --all n=2 --yes")
        #expect(run.status == 0 && run.errors.hasPrefix("records: compacted a.records: about "), "\(run)")
        #expect(try folder.output("records ls a.records --sizes | tr -s ' '").contains("compactions 1\n"))
        #expect(try folder.output("records query a.records A --where 'n = 2' --count") == "6000\n")
        // The step to undo is in the new file, too.
        #expect(try folder.run("records undo a.records --yes").status == 0)
        #expect(try folder.output("records query a.records A --where 'n = 1' --count") == "6000\n")
    }

    @Test func compactionThatFailsAfterAChangeIsAWarning() throws {
        let folder = try ToolFolder()
        // The name of the compacted copy is longer than a name may be.
        let name = String(repeating: "a", count: 222) + ".records"
        try folder.write((1...6_000).map { #"{"id":"A/\#($0)","fields":{"n":1}}"# }, to: "a.jsonl")
        _ = try folder.output("records copy a.jsonl \(name)")
        let run = try folder.run("records set \(name) A --all n=2 --yes")
        #expect(run.status == 0 && run.output.hasPrefix("6,000 records changed"), "\(run)")
        #expect(run.errors.hasPrefix("records: warning: \(name) is not compacted: "), "\(run)")
        #expect(try folder.output("records query \(name) A --where 'n = 2' --count") == "6000\n")
    }

    @Test func smallFileIsNotCompactedByAChange() throws {
        let folder = try SchoolFile.folder()
        for number in 1...9 {
            #expect(try folder.run("records set school.records Book/1 title=\(number)").errors == "")
        }
        #expect(try folder.output("records ls school.records --sizes | tr -s ' '").contains("compactions 0\n"))
    }

    @Test func fileOfAWriterIsLocked() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        let run = try folder.run("records compact a.records")
        #expect(run.status == 1)
        try await database.close()
        #expect(try folder.run("records compact a.records").status == 0)
    }

    @Test(arguments: [
        ("missing.records", 1), ("lines.jsonl", 1), ("empty", 1), ("text", 1), ("-", 2),
    ])
    func fileThatIsNotARecordFileStaysAsItIs(_ name: String, _ status: Int32) throws {
        let folder = try ToolFolder()
        try folder.write(SchoolRecords.lines, to: "lines.jsonl")
        try folder.write([], to: "empty")
        try folder.write(["some text"], to: "text")
        let before = try folder.run("ls -l --full-time").output
        #expect(try folder.run("records compact \(name)").status == status)
        #expect(try folder.run("ls -l --full-time").output == before)
    }
}

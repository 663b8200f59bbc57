import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

/// What every command that reads records says to inputs of all kinds.
@Suite struct InputTests {
    @Test func nameThatIsNotUTF8IsRefused() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.run("records copy school.records \"$(printf 'a\\377')\"; ls").output
                == "school.json\nschool.records\n")
    }

    @Test func emptyInputHasNoRecords() throws {
        let folder = try ToolFolder()
        try folder.write("", to: "empty.jsonl")
        #expect(try folder.output("records query empty.jsonl") == "")
        #expect(try folder.output("records query -", input: "\n \n") == "")
    }

    @Test func marksAndCarriageReturnsArePassedOver() throws {
        let input = "\u{FEFF}{\"id\":\"A/1\",\"fields\":{}}\r\n\r\n{\"id\":\"A/2\",\"fields\":{}}"
        #expect(
            try ToolFolder().output("records query - --typed", input: input)
                == "{\"id\":\"A/1\",\"fields\":{}}\n{\"id\":\"A/2\",\"fields\":{}}\n")
    }

    @Test(arguments: ["query x", "get x A/1", "nest x A/1", "copy x -", "copy x new.records"])
    func argumentThatIsNotAnInputIsNamed(_ command: String) throws {
        let folder = try ToolFolder()
        func expectNamed() throws {
            let run = try folder.run("records \(command)")
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("records: x: "))
        }
        try expectNamed()
        try folder.write("hello", to: "x")
        try expectNamed()
    }

    @Test(arguments: ["query - < school.records", "cat school.records | records copy - -", "verify - < school.records"])
    func recordFileIsNotReadFromAStream(_ command: String) throws {
        let run = try SchoolFile.folder().run(command.hasPrefix("cat") ? command : "records \(command)")
        #expect(run.status == (command.hasPrefix("verify") ? 2 : 1))
        #expect((run.output + run.errors).contains("found a record file"))
    }

    @Test(arguments: [
        ("query - Student", "Bo Alder"), ("get - Document/hilltop --tree", "Document/hilltop"),
        ("ls - --sizes", "HeadOfSchool"),
        ("query - Student --where 'name=\"Bo Alder\"' --ids", "Student/bo"), ("graph -", "Student/bo"),
        ("get - Book/2", "Stars for Beginners"), ("diff school.json -", ""),
    ]) func everyCommandReadsNestedJSON(_ command: String, _ part: String) throws {
        let nested = String(decoding: try Data(contentsOf: SchoolFile.url), as: UTF8.self)
        let run = try SchoolFile.folder().run("records \(command)", input: nested)
        #expect(run.status == 0)
        #expect(run.output.contains(part) || part.isEmpty && run.output.isEmpty)
    }

    @Test func linesOfOtherJSONAreReadAsADocument() throws {
        let output = try ToolFolder().output("records query - --typed", input: "{\"id\": 1}\n{\"id\": 2}\n")
        #expect(output == "{\"id\":\"Item/1\",\"fields\":{\"id\":1}}\n{\"id\":\"Item/2\",\"fields\":{\"id\":2}}\n")
    }

    @Test func wrongLineIsReportedWithItsPlace() throws {
        let run = try ToolFolder().run(
            "records query - --typed", input: "{\"id\":\"A/1\",\"fields\":{}}\n{\"id\":\"A\"}\n")
        #expect(run.status == 1)
        #expect(run.output == "{\"id\":\"A/1\",\"fields\":{}}\n")
        #expect(run.errors.hasPrefix("records: standard input: line 2, column "))
    }

    @Test func recordThatStandsThereTwiceIsRefusedWhereItIsFetched() throws {
        let lines = "{\"id\":\"A/1\",\"fields\":{\"n\":1}}\n{\"id\":\"A/1\",\"fields\":{\"n\":2}}\n"
        let run = try ToolFolder().run("records get - A/1", input: lines)
        #expect(run.status == 1)
    }

    /// What equality takes for the same is not: one of both lines would be lost.
    @Test(
        arguments: [(#"{"$double":0.0}"#, #"{"$double":-0.0}"#), ("\"\u{E9}\"", "\"e\u{301}\"")],
        ["get - A/1 --typed", "copy - new.records", "verify -", "graph -"])
    func linesThatDifferInABitAreDifferent(_ values: (String, String), _ command: String) throws {
        let lines = [values.0, values.1].map { "{\"id\":\"A/1\",\"fields\":{\"n\":\($0)}}\n" }
        let run = try ToolFolder().run("records \(command)", input: lines.joined())
        #expect(run.status == 1)
        #expect("\(run.output)\(run.errors)".contains("A/1 occurs twice, with different content"))
        // A not-a-number is not equal to itself, and the same line twice is one record.
        let line = #"{"id":"A/1","fields":{"n":{"$double":"nan"}}}"# + "\n"
        #expect(try ToolFolder().run("records \(command)", input: line + line).status == 0)
    }

    @Test func damagedFileIsReportedWithItsPlace() throws {
        let folder = try SchoolFile.folder()
        var bytes = try Data(contentsOf: folder.url.appendingPathComponent("school.records"))
        let position = try #require(bytes.firstRange(of: Data("Stars".utf8))).lowerBound
        bytes[position] ^= 1
        try bytes.write(to: folder.url.appendingPathComponent("school.records"))
        let run = try folder.run("records copy school.records -")
        #expect(run.status == 1)
        #expect(run.errors.contains("school.records"))
        #expect(run.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test func readingDoesNotWaitForAWriter() async throws {
        let folder = try SchoolFile.folder()
        let writer = try FileRecordDatabase(path: folder.path("school.records"))
        #expect(try folder.output("records query school.records Person") != "")
        let run = try folder.run("records copy - school.records", input: "{\"id\":\"A/1\",\"fields\":{}}\n")
        #expect(run.status == 1)
        #expect(run.errors.contains("school.records"))
        #expect(run.errors.contains("open"))
        try await writer.close()
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full here"))
    func fullDiskIsAnError() throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("records copy school.records - > /dev/full")
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("records: cannot write to standard output: "))
    }

    /// The thread sanitizer keeps its own memory in a file, which the limit hits first.
    private static let isSanitized = dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil

    @Test(.enabled(if: !isSanitized, "the thread sanitizer does not start under a limit on files"))
    func diskThatIsFullLeavesTheFileAsItWas() throws {
        let folder = try SchoolFile.folder()
        let before = try folder.output("records copy school.records -")
        let many = (1...5_000).map { "{\"id\":\"A/\($0)\",\"fields\":{\"n\":\($0)}}\n" }.joined()
        try folder.write(many, to: "many.jsonl")
        // Blocks of 512 bytes or of 1,024, as the shell has it.
        let run = try folder.run("ulimit -f 32; records copy many.jsonl school.records")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("records: "))
        #expect(run.errors.contains("school.records"))
        #expect(try folder.output("records copy school.records -") == before)
    }

    @Test(arguments: ["nowhere/new.records", "."])
    func targetThatCannotBeWrittenIsNamed(_ target: String) throws {
        let folder = try SchoolFile.folder()
        for command in ["flatten -q school.json --into \(target)", "copy school.records \(target)"] {
            let run = try folder.run("records \(command)")
            #expect(run.status == 1)
            #expect(run.output == "")
            #expect(run.errors.hasPrefix("records: "))
            #expect(run.errors.contains(target))
        }
    }

    #if os(Linux)
    @Test(arguments: ["query - --typed", "flatten --exactly - --type A"])
    func inputThatDoesNotBlockIsWaitedFor(_ command: String) throws {
        let line = command == "query - --typed" ? "{\"id\":\"A/1\",\"fields\":{\"id\":1}}\n" : "{\"id\":1}\n"
        let pipe = Pipe()
        let reading = pipe.fileHandleForReading.fileDescriptor
        try #require(fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK) == 0)
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.arguments = command.split(separator: " ").map(String.init)
        process.standardInput = pipe
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Until it has found nothing.
        try blockUntil { try process.isToolAtRest }
        try pipe.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self) == "")
        #expect(
            String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                .hasSuffix("{\"id\":\"A/1\",\"fields\":{\"id\":1}}\n"))
        #expect(process.terminationStatus == 0)
    }
    #endif

    @Test(arguments: ["a.records", "a.jsonl"])
    func inputThatKeepsNoIndexesIsNamed(_ name: String) async throws {
        let folder = try ToolFolder()
        try await folder.save([#"{"id":"A/1","fields":{"n":1}}"#], to: "a.records")
        try folder.write([#"{"id":"A/1","fields":{"n":1}}"#], to: "a.jsonl")
        let reason = "keeps no indexes: 'records copy' copies the records to a SQLite database or a server"
        #expect(try folder.run("records index \(name)") == .error("\(name): \(reason)"))
        #expect(try folder.run("records index \(name) A n") == .error("\(name): \(reason)"))
    }

    @Test func closedPipeEndsQuietly() throws {
        let folder = try ToolFolder()
        let line = "{\"id\":\"A/1\",\"fields\":{\"text\":\"\(String(repeating: "x", count: 900))\"}}\n"
        try folder.write(String(repeating: line, count: 2_000), to: "many.jsonl")
        let run = try folder.run("records query many.jsonl --typed | head -n 1")
        #expect(run == ToolRun(status: 0, output: line, errors: ""))
    }
}

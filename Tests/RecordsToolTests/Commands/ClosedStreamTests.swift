import Testing

/// The tool where its caller has closed one of its streams.
@Suite struct ClosedStreamTests {
    @Test(arguments: [
        "copy school.records new.records", "flatten school.json --overwrite --into new.records",
        "compact new.records",
    ])
    func messagesDoNotGoIntoARecordFileWhereOutputIsClosed(_ command: String) throws {
        let folder = try SchoolFile.folder()
        _ = try folder.output("records copy school.records new.records")
        #expect(try folder.run("records \(command) >&-").status == 1)
        #expect(try folder.run("records \(command) <&- >&- 2>&-") == ToolRun(status: 1, output: "", errors: ""))
        #expect(try folder.output("records verify new.records").hasSuffix(" records, no problems\n"))
    }

    @Test func fileIsReadWhereInputIsClosed() throws {
        let folder = try SchoolFile.folder()
        let lines = try folder.output("records copy school.records - > lines.jsonl; cat lines.jsonl")
        #expect(try folder.output("records copy lines.jsonl - <&-") == lines)
    }
}

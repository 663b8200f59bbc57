import Foundation
import Testing

/// What commands ask before they change records that the command line does not name.
@Suite struct QuestionTests {
    /// Runs the built tool on a terminal, where a user types an answer.
    private func run(
        _ words: String, in folder: ToolFolder, answer: String, before: (() throws -> Void)? = nil
    ) throws -> (status: Int32, shown: String) {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let stream = FileHandle(fileDescriptor: terminal.slave, closeOnDealloc: false)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.arguments = words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder.url
        process.environment = ["NO_COLOR": "1", "PAGER": ""]
        (process.standardInput, process.standardOutput, process.standardError) = (stream, stream, stream)
        try process.run()
        var shown = ""
        if let before {
            while process.isRunning, !shown.contains("[y/n]") {
                shown += try terminal.read()
                Thread.sleep(forTimeInterval: 0.01)
            }
            try before()
        }
        #expect(Foundation.write(terminal.master, answer, answer.utf8.count) == answer.utf8.count)
        process.waitUntilExit()
        return (process.terminationStatus, (shown + (try terminal.read())).replacing("\r\n", with: "\n"))
    }

    private func folder(count: Int) throws -> ToolFolder {
        let folder = try ToolFolder()
        try folder.write((1...count).map { #"{"id":"P/\#($0)","fields":{"n":1}}"# }, to: "a.jsonl")
        _ = try folder.output("records copy a.jsonl a.records")
        return folder
    }

    @Test func clashesOfADocumentAreCountedAndTheFirstAreNamed() throws {
        let folder = try ToolFolder()
        func document(_ value: Int) -> String {
            #"{"a":["# + (1...7).map { #"{"id":"\#($0)","n":\#(value)}"# }.joined(separator: ",") + "]}"
        }
        _ = try folder.output("records flatten - -q --into a.records", input: document(1))
        let run = try folder.run("records flatten - -q --into a.records", input: document(2))
        #expect(run.status == 1 && run.errors.contains("7 records exist with other content"), "\(run)")
        #expect(
            run.errors.contains("(A/1, A/2, A/3, A/4, A/5, …); '--overwrite'")
                && run.errors.contains("'--map KEY=TYPE'"))
    }

    @Test(arguments: ["set a.records P --all n=2", "migrate a.records --type P=Q", "delete a.records P --all"])
    func changeOfSelectedRecordsNeedsAnAnswer(_ command: String) throws {
        let folder = try folder(count: 30)
        let before = try folder.output("records copy a.records -")
        let no = try run(command, in: folder, answer: "x\nn\n")
        #expect(no.status == 1 && no.shown.contains("[y/n]") && no.shown.contains("nothing is "), "\(no.shown)")
        #expect(no.shown.utf8.count { $0 == UInt8(ascii: "\n") } < 40)
        #expect(try folder.output("records copy a.records -") == before)
        let script = try folder.run("records \(command)")
        #expect(script.status == 2 && script.errors.contains("asks on a terminal only"), "\(script)")
        #expect(try folder.output("records copy a.records -") == before)
        let yes = try run(command, in: folder, answer: "y\n")
        #expect(yes.status == 0 && yes.shown.hasSuffix("undo with 'records undo a.records'\n"), "\(yes.shown)")
        #expect(try folder.output("records copy a.records -") != before)
        #expect(try run("undo a.records", in: folder, answer: "y\n").status == 0)
    }

    @Test(arguments: ["set a.records P --all n=2", "migrate a.records --type P=Q", "delete a.records P --all"])
    func othersCanWriteWhileAQuestionWaits(_ command: String) throws {
        let folder = try folder(count: 3)
        let yes = try run(command, in: folder, answer: "y\n") {
            _ = try folder.output("records set a.records --new Other/1 n:=1")
        }
        #expect(yes.status == 0, "\(yes.shown)")
        #expect(try folder.output("records copy a.records -").contains("Other/1"))
        #expect(try !folder.output("records copy a.records -").contains(#""P/1","fields":{"n":1}"#))
    }

    @Test(arguments: ["set a.records P --all n=2", "delete a.records P --all"])
    func recordThatOthersChangeWhileAQuestionWaitsIsAnError(_ command: String) throws {
        let folder = try folder(count: 3)
        let yes = try run(command, in: folder, answer: "y\n") { _ = try folder.output("records set a.records P/2 n=7") }
        #expect(yes.status == 1 && yes.shown.contains("P/2"), "\(yes.shown)")
        let records = try folder.output("records copy a.records -").split(separator: "\n")
        #expect(records.count == 3 && records.count { $0.contains(#""fields":{"n":1}"#) } == 2)
        #expect(records.count { $0.contains(#""P/2","fields":{"n":7}"#) } == 1, "\(records)")
    }

    @Test func changesOfSelectedRecordsAreSummarized() throws {
        let folder = try folder(count: 5_000)
        let plan = try folder.run("records set a.records P --all n=2")
        #expect(plan.output.split(separator: "\n").count == 12, "\(plan.output)")
        #expect(plan.output.hasSuffix("… 4,995 more\n5,000 records to change, 0 as before\n"))
        let changed = try folder.run("records set a.records P --all n=2 --yes")
        #expect(changed.output == "5,000 records changed, 0 as before\n")
        // Without a change there is no question.
        #expect(try folder.output("records set a.records P --all n=2") == "0 records changed, 5,000 as before\n")
        let all = try folder.output("records set a.records P --all n=3 --dry-run")
        #expect(all.split(separator: "\n").count == 10_001)
        #expect(all.hasSuffix("5,000 records would be changed, 0 as before\n"))
        // One record is changed without a question, several by their IDs are not.
        #expect(try folder.output("records set a.records P/1 n=3").hasSuffix("1 record changed, 0 as before\n"))
    }

    @Test(arguments: [
        "copy b.jsonl a.records", "flatten b.json -q --map a=A --into a.records",
    ])
    func otherContentIsReplacedOnlyIfAsked(_ command: String) throws {
        let folder = try ToolFolder()
        try folder.write([#"{"id":"A/1","fields":{"id":"1","n":1}}"#], to: "a.jsonl")
        try folder.write([#"{"id":"A/1","fields":{"id":"1","n":2}}"#], to: "b.jsonl")
        try folder.write(#"{"a":[{"id":"1","n":2},{"id":"2","n":1}]}"#, to: "b.json")
        _ = try folder.output("records copy a.jsonl a.records")
        let before = try folder.output("records copy a.records -")
        let run = try folder.run("records \(command)")
        #expect(run.status == 1 && run.output == "", "\(run)")
        #expect(run.errors.hasPrefix("records: a.records: A/1 exists with other content than in b.json"), "\(run)")
        #expect(run.errors.contains("; '--overwrite' replaces such records"))
        #expect(try folder.output("records copy a.records -") == before)
        #expect(try folder.run("records \(command) --overwrite").status == 0)
        #expect(try folder.output("records get a.records A/1 --format jsonl").contains(#""n":2"#))
        // Records with the same content are no reason for an error.
        #expect(try folder.run("records \(command)").status == 0)
    }

    @Test func documentIsNotReplacedByAnotherOfItsName() throws {
        let folder = try ToolFolder()
        let flatten = "records flatten - -q --into a.records"
        _ = try folder.output(flatten, input: #"{"as":[{"id":"1"},{"id":"2"}]}"#)
        let run = try folder.run(flatten, input: #"{"bs":[{"id":"1"},{"id":"2"}]}"#)
        #expect(run.status == 1 && run.errors.contains("NestedRecords.Document/"), "\(run)")
        #expect(try folder.output("records nest a.records -c") == #"{"as":[{"id":"1"},{"id":"2"}]}"# + "\n")
    }
}

import Foundation
import Testing

@testable import records

@Suite struct PagerTests {
    /// Runs the tool with all its streams on a terminal of ten lines, with eight and thirty records.
    private func run(_ arguments: String, _ environment: [String: String]) throws -> (lines: [String], status: Int32) {
        let folder = try ToolFolder()
        for (name, count) in [("short", 8), ("long", 30)] {
            try folder.write((1...count).map { #"{"id":"A/\#($0)","fields":{"n":\#($0)}}"# }, to: "\(name).jsonl")
        }
        let terminal = try PseudoTerminal(columns: 60, rows: 10)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Shell.tool)
        process.currentDirectoryURL = folder.url
        process.arguments = arguments.split(separator: " ").map(String.init)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        process.environment = ["PATH": path, "NO_COLOR": "1"].merging(environment) { $1 }
        let stream = FileHandle(fileDescriptor: terminal.slave)
        (process.standardInput, process.standardOutput, process.standardError) = (stream, stream, stream)
        try process.run()
        process.waitUntilExit()
        return (try terminal.read().split(separator: "\r\n").map(String.init), process.terminationStatus)
    }

    @Test(arguments: [
        ("query long.jsonl", ["PAGER": "sed s/^/p:/"], 32, true),
        ("query long.jsonl", ["PAGER": "no-such-program", "RECORDS_PAGER": "sed s/^/p:/"], 32, true),
        ("query short.jsonl -f jsonl", ["PAGER": "sed s/^/p:/"], 8, false),
        ("query long.jsonl", ["PAGER": "sed s/^/p:/; echo p:$LESS | grep -x p:FRX"], 33, true),
        ("query long.jsonl --no-pager", ["PAGER": "sed s/^/p:/"], 32, false),
        ("query long.jsonl", ["PAGER": ""], 32, false), ("query long.jsonl", ["PAGER": "cat"], 32, false),
        ("query long.jsonl", ["PAGER": "sed s/^/p:/", "RECORDS_PAGER": ""], 32, false),
        ("query long.jsonl", ["PATH": "/nowhere"], 32, false),
        ("copy long.jsonl -", ["PAGER": "sed s/^/p:/"], 30, false),
    ])
    func outputLongerThanTheScreenIsPaged(
        _ arguments: String, _ environment: [String: String], _ count: Int, _ isPaged: Bool
    ) throws {
        let (lines, status) = try run(arguments, environment)
        #expect(lines.count == count)
        #expect(lines.allSatisfy { $0.hasPrefix("p:") == isPaged })
        #expect(status == 0)
    }

    @Test func errorsFollowThePagerAndKeepTheirExitCode() throws {
        let ids = (1...31).map { "A/\($0)" }.joined(separator: " ")
        let (lines, status) = try run("get long.jsonl \(ids)", ["PAGER": "sleep 0.3; cat; echo end"])
        #expect(lines.suffix(2) == ["end", "records: long.jsonl: there is no record A/31"])
        #expect(status == 1)
    }

    @Test func pagerThatEndsEarlyEndsTheCommandQuietly() throws {
        let (lines, status) = try run("query long.jsonl --typed", ["PAGER": "head -n 1"])
        #expect(lines == [#"{"id":"A/1","fields":{"n":1}}"#])
        #expect(status == 0)
    }

    @Test(arguments: [("no-such-program", 127), ("false", 1), ("head -n 3; exit 127", 127)])
    func pagerThatFailsIsReported(_ pager: String, _ pagerStatus: Int32) throws {
        let (lines, status) = try run("query long.jsonl", ["PAGER": pager])
        #expect(
            lines.last
                == "records: the pager '\(pager)' failed with status \(pagerStatus); set PAGER, or use '--no-pager'")
        #expect(status == 1)
    }

    @Test func linesThatWrapCountTwice() {
        let terminal = Terminal(isTerminal: true, width: 4, height: 3, allowsColour: true)
        #expect(!terminal.isExceeded(by: "abcd\nabc\n".utf8))
        #expect(!terminal.isExceeded(by: "éééé\n\u{1b}[1mabcd\u{1b}[0m\n".utf8))
        #expect(terminal.isExceeded(by: "abcd\nabcde\n".utf8))
        #expect(terminal.isExceeded(by: "a\nb\nc\n".utf8))
        #expect(terminal.isExceeded(by: String(repeating: "x", count: 13).utf8))
    }
}

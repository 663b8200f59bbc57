import Foundation
import TestSupport
import Testing

@testable import records

@Suite struct ProgressTests {
    @Test(
        arguments: [
            (0, nil, 0, "Reading  0 records"),
            (1_234, nil, 2_000, "Reading  1,234 records  617/s"),
            (0, 10, 1_000, "Reading  ╌╌╌╌╌╌╌╌╌╌ 0%  0 of 10 records"),
            (
                12_345, 63_804, 1_000,
                "Reading  ━╌╌╌╌╌╌╌╌╌ 19%  12,345 of 63,804 records  12,345/s  0:05 left"
            ),
            (1, 4_000, 1_000, "Reading  ╌╌╌╌╌╌╌╌╌╌ 0%  1 of 4,000 records  1/s  1:06:39 left"),
            (12, 10, 1_000, "Reading  ━━━━━━━━━━ 100%  12 of 10 records  12/s"),
            (0, 0, 1_000, "Reading  0 records"),
        ] as [(Int, Int?, Int, String)])
    func lineHasCountRateAndTimeLeft(_ count: Int, _ total: Int?, _ time: Int, _ line: String) {
        let text = ProgressText(
            title: "Reading", unit: "records", count: count, total: total, time: .milliseconds(time))
        #expect(text.line == line)
    }

    @Test(arguments: [Int.max, Int.max / 2])
    func hugeCountsDoNotTrap(_ count: Int) {
        let text = ProgressText(title: "", unit: "", count: count, total: .max, time: .nanoseconds(1))
        #expect(text.line.contains(count.grouped))
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"), (100, "100")])
    func digitsAreGrouped(_ number: Int, _ text: String) {
        #expect(number.grouped == text)
    }

    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let time = Locked(ContinuousClock.now)

        func now() -> ContinuousClock.Instant { time.withLock { $0 } }

        func advance(milliseconds: Int) {
            time.withLock { $0 += .milliseconds(milliseconds) }
        }
    }

    private func console(_ terminal: PseudoTerminal) -> Console {
        Console(outputDescriptor: terminal.slave, errorDescriptor: terminal.slave, environment: [:])
    }

    @Test func linesArePrintedWithoutATerminalIfThatIsWanted() throws {
        let folder = try ToolFolder()
        try folder.write("", to: "errors")
        let errors = try FileHandle(forWritingTo: folder.url.appendingPathComponent("errors"))
        let line = Console(outputDescriptor: -1, errorDescriptor: errors.fileDescriptor, environment: [:]).statusLine
        let clock = Clock()
        let silent = ProgressBar("Reading", total: 8, on: line, now: clock.now)
        let bar = ProgressBar("Copying", total: 8, on: line, printsLines: true, now: clock.now)
        for milliseconds in [0, 500, 900, 600] {
            clock.advance(milliseconds: milliseconds)
            bar.advance(by: 2)
            silent.advance(by: 2)
        }
        #expect(
            try folder.text(of: "errors") == """
                Copying  ━━━━━╌╌╌╌╌ 50%  4 of 8 records  8/s  0:01 left
                Copying  ━━━━━━━━━━ 100%  8 of 8 records  4/s

                """)
    }

    @Test func lineIsRedrawnTenTimesASecond() throws {
        let terminal = try PseudoTerminal(columns: 40)
        let clock = Clock()
        let bar = ProgressBar("Reading", on: console(terminal).statusLine, now: clock.now)
        bar.advance(by: 5)
        clock.advance(milliseconds: 299)
        bar.advance()
        #expect(try terminal.read() == "")
        for _ in 1...1_000 {
            clock.advance(milliseconds: 1)
            bar.advance()
        }
        let drawings = try terminal.read().split(separator: "\r")
        #expect(drawings.count == 10)
        #expect(drawings.first == "Reading  7 records  23/s\u{1b}[K")
        #expect(drawings.last == "Reading  907 records  756/s\u{1b}[K")
        bar.finish()
        #expect(try terminal.read() == "\r\u{1b}[K")
        bar.finish()
        #expect(try terminal.read() == "")
    }

    @Test func lineIsNarrowerThanTheTerminal() throws {
        let terminal = try PseudoTerminal(columns: 12)
        console(terminal).statusLine.draw("Reading many records")
        #expect(try terminal.read() == "\rReading ma…\u{1b}[K")
    }

    @Test func outputAndErrorsComeAfterTheLineIsCleared() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let console = console(terminal)
        console.statusLine.draw("Reading")
        try console.output.write("a record")
        #expect(try terminal.read() == "\rReading\u{1b}[K")
        try console.output.flush()
        #expect(try terminal.read() == "\r\u{1b}[Ka record")
        console.statusLine.draw("Reading")
        console.statusLine.print("records: it failed")
        #expect(try terminal.read() == "\rReading\u{1b}[K\r\u{1b}[Krecords: it failed\r\n")
    }

    @Test func nothingIsDrawnWithoutATerminal() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let console = Console(outputDescriptor: fileno(file), errorDescriptor: fileno(file), environment: [:])
        let clock = Clock()
        let bar = ProgressBar("Reading", on: console.statusLine, now: clock.now)
        clock.advance(milliseconds: 10_000)
        bar.advance()
        bar.finish()
        #expect(lseek(fileno(file), 0, SEEK_END) == 0)
    }

    @Test(arguments: [
        ("flatten f -q -f jsonl", "Reading"), ("nest f", "Nesting"), ("diff f a.jsonl", "Reading"),
        ("copy f a.records", "Importing"),
    ])
    func slowInputShowsProgressOnATerminal(_ command: String, _ title: String) throws {
        let folder = try ToolFolder()
        let terminal = try PseudoTerminal(columns: 80)
        let lines = (1...2).map { #"{"id":"A/\#($0)","fields":{"n":1}}"# }
        try folder.write(lines, to: "a.jsonl")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.currentDirectoryURL = folder.url
        let input = #"{ head -1 a.jsonl; sleep 1; tail -1 a.jsonl; }"#
        process.arguments = ["-c", "mkfifo f && { \(input) > f & '\(Shell.tool)' \(command); }"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: terminal.slave)
        try process.run()
        process.waitUntilExit()
        let shown = try terminal.read()
        #expect(shown.contains("\r\(title) "))
        #expect(shown.contains("\r\u{1b}[K"))
    }
}

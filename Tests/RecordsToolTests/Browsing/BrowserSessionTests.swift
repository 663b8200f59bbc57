import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

@Suite(.timeLimit(.minutes(60))) struct BrowserSessionTests {
    /// Runs a session on the records of the sample, from the types or another place, and quits.
    private func browse(
        _ start: BrowserPlace? = nil, in folder: ToolFolder, lines: UInt16 = 20, columns: UInt16 = 80,
        _ body: (BrowserWindow) async throws -> Void
    ) async throws {
        let path = folder.path("school.records")
        let window = try await BrowserWindow(path, columns: columns, lines: lines, at: start)
        try await body(window)
        window.type("q")
        try await window.ended()
    }

    private static let books = BrowserPlace.records(BrowserPlace.Selection(type: "Book"))

    @Test func referencesAreFollowedInBothDirections() async throws {
        try await browse(in: try SchoolFile.folder()) { window in
            try await window.shows("Student  ")
            try await window.type("jjj\r", shows: "Student: 2 records")
            try await window.type("\r", shows: "Student/bo")
            try await window.type("/→ Book\r\r", shows: "Book/2")
            try await window.type("/Student/cy\r\r", shows: "Student/cy ")
            try await window.type("\u{7f}\u{7f}\u{7f}", shows: "Student: 2 records")
        }
    }

    @Test func wrongFilterIsExplainedAndCanBeMended() async throws {
        try await browse(Self.books, in: try SchoolFile.folder()) { window in
            try await window.type("ftitel ~ \"stars\"\r", shows: "did you mean 'title'?")
            try await window.shows("Filter: titel ~ \"stars\"")
            try await window.type("\u{15}title ~ \"stars\"\r", shows: "Book: 1 where title ~ \"stars\"")
            try await window.type("\u{7f}", shows: "Book: 2 records")
        }
    }

    @Test func emptyResultSaysTheWayBack() async throws {
        try await browse(Self.books, in: try SchoolFile.folder(), lines: 24) { window in
            try await window.type("ftitle = \"none\"\r", shows: "No records: ← goes back")
            #expect(window.shown.contains("Book: 0 where title = \"none\""))
            try await window.type("h", shows: "Book: 2 records")
        }
        let folder = try ToolFolder()
        try folder.write("", to: "empty.jsonl")
        let window = try await BrowserWindow(folder.path("empty.jsonl"), canEdit: false)
        try await window.shows("No records: q quits")
        window.type("q")
        try await window.ended()
    }

    @Test func footerHasWholeKeysInEveryWidth() {
        let whole = BrowserKeys.line(within: 200)
        for columns in 10...100 {
            let line = BrowserKeys.line(within: columns)
            #expect(line.displayWidth <= columns && line.utf8.starts(with: "? help".utf8))
            #expect(line.components(separatedBy: "  ").allSatisfy(whole.components(separatedBy: "  ").contains))
        }
        #expect(
            BrowserKeys.line(within: 80)
                == "? help  q quit  Enter open  ← back  / search  f filter  s sort  e edit  d delete")
    }

    @Test func searchFindsTextInAllTypes() async throws {
        let folder = try SchoolFile.folder()
        let window = try await BrowserWindow(folder.path("school.json"), canEdit: false)
        try await window.type("/FERN\r", shows: "All records: 1 with 'FERN'")
        try await window.type("e", shows: "only records of a database can be changed")
        window.type("q")
        try await window.ended()
    }

    @Test func changesOfOthersAreShown() async throws {
        let folder = try SchoolFile.folder()
        try await browse(Self.books, in: folder) { window in
            try await window.shows("An Atlas of Clouds")
            try await window.type("\r", shows: "Book/1")
            _ = try folder.output("records set school.records Book/1 title=Changed")
            try await window.shows("Changed")
            // The place before is read again, too.
            try await window.type("h", shows: "Book: 2 records")
            // The row below the changed one is drawn after it.
            try await window.shows("Stars for Beginners")
            try await window.shows("Changed")
            #expect(!window.shown.contains("Atlas"))
        }
    }

    @Test func answerTypedBeforeThePlanIsShownIsNone() async throws {
        let folder = try SchoolFile.folder()
        try await browse(.record(try Record.ID("School/hilltop")), in: folder) { window in
            try await window.shows("School/hilltop")
            try await window.type("dy", shows: "Delete? y yes  n no")
            try await window.type("n", shows: "nothing is deleted")
        }
        #expect(try folder.run("records get school.records School/hilltop").status == 0)
    }

    @Test func deletionIsPlannedAndAllowedFirst() async throws {
        let folder = try SchoolFile.folder()
        try await browse(.record(try Record.ID("Book/1")), in: folder) { window in
            try await window.type("dy", shows: "References prevent the deletion")
            try await window.type("c", shows: "Delete? y yes  n no")
            try await window.type("y", shows: "deleted 1 record")
        }
        #expect(try folder.run("records get school.records Book/1").status == 1)
        #expect(try folder.output("records verify school.records").contains("no problems"))
    }

    @Test(arguments: [
        (40, "\n        type, a record, the target of a"),
        (80, "open the row: the records of a type, a record, the"),
    ])
    func keysAreExplainedInEveryWidth(_ columns: UInt16, _ text: String) async throws {
        try await browse(in: try SchoolFile.folder(), columns: columns) { window in
            try await window.shows("Student  ")
            try await window.type("?", shows: "open the row")
            try await window.shows(text)
        }
    }

    #if os(Linux)
    @Test(arguments: [SIGKILL, SIGTERM, SIGHUP, SIGQUIT])
    func terminalIsRestoredAndTheStatusSaysTheSignal(signal: Int32) async throws {
        let setsid = try #require(Shell.path(of: "setsid"))
        let folder = try SchoolFile.folder()
        let terminal = try PseudoTerminal(columns: 40)
        var before = termios()
        try #require(tcgetattr(terminal.slave, &before) == 0)
        let name = try #require(ttyname(terminal.slave).map { String(cString: $0) })
        let process = Process()
        process.executableURL = URL(filePath: setsid)
        // The first terminal that a session opens becomes its own, as /dev/tty.
        let browse = "echo $$ > pid; exec \"$0\" browse school.records"
        let script = "exec <>\(name); sh -c '\(browse)' '\(Shell.tool)'; echo $? > new; mv new status"
        process.arguments = ["sh", "-c", script]
        process.currentDirectoryURL = folder.url
        try process.run()
        var output = ""
        while !output.contains("q quit") {
            output += try terminal.read()
            try await Task.sleep(for: .milliseconds(20))
        }
        let pid = try #require(pid_t(try folder.text(of: "pid").trimmingCharacters(in: .whitespacesAndNewlines)))
        kill(pid, signal)
        while !output.contains("\u{1b}[?1049l") {
            output += try terminal.read()
            try await Task.sleep(for: .milliseconds(20))
        }
        process.waitUntilExit()
        while (try? folder.text(of: "status")) == nil { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try folder.text(of: "status") == "\(128 + signal)\n")
        var after = termios()
        try #require(tcgetattr(terminal.slave, &after) == 0)
        #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
    }
    #endif
}

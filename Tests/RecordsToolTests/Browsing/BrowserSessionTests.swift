import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

@Suite(.timeLimit(.minutes(3))) struct BrowserSessionTests {
    @Test func referencesAreFollowedInBothDirections() async throws {
        let folder = try SchoolFile.folder()
        let window = try await BrowserWindow(folder.path("school.records"))
        try await window.shows("Student  ")
        window.type("jjj\r")
        try await window.shows("Student: 2 records")
        window.type("\r")
        try await window.shows("Student/bo")
        window.type("/→ Book\r\r")
        try await window.shows("Book/2")
        window.type("/Student/cy\r\r")
        try await window.shows("Student/cy ")
        window.type("\u{7f}\u{7f}\u{7f}")
        try await window.shows("Student: 2 records")
        window.type("q")
        try await window.ended()
    }

    @Test func wrongFilterIsExplainedAndCanBeMended() async throws {
        let folder = try SchoolFile.folder()
        let place = BrowserPlace.records(BrowserPlace.Selection(type: "Book"))
        let window = try await BrowserWindow(folder.path("school.records"), at: place)
        window.type("ftitel ~ \"stars\"\r")
        try await window.shows("did you mean 'title'?")
        try await window.shows("Filter: titel ~ \"stars\"")
        window.type("\u{15}title ~ \"stars\"\r")
        try await window.shows("Book: 1 where title ~ \"stars\"")
        window.type("\u{7f}")
        try await window.shows("Book: 2 records")
        window.type("q")
        try await window.ended()
    }

    @Test func searchFindsTextInAllTypes() async throws {
        let folder = try SchoolFile.folder()
        let window = try await BrowserWindow(folder.path("school.json"), canEdit: false)
        window.type("/FERN\r")
        try await window.shows("All records: 1 with 'FERN'")
        window.type("e")
        try await window.shows("only records of a database can be changed")
        window.type("q")
        try await window.ended()
    }

    @Test func changesOfOthersAreShown() async throws {
        let folder = try SchoolFile.folder()
        let place = BrowserPlace.record(try Record.ID("Book/1"))
        let window = try await BrowserWindow(folder.path("school.records"), at: place)
        try await window.shows("Book/1")
        _ = try folder.output("records set school.records Book/1 title=Changed")
        try await window.shows("Changed")
        window.type("q")
        try await window.ended()
    }

    @Test func placesBeforeAreReadAgainAfterAChange() async throws {
        let folder = try SchoolFile.folder()
        let place = BrowserPlace.records(BrowserPlace.Selection(type: "Book"))
        let window = try await BrowserWindow(folder.path("school.records"), at: place)
        try await window.shows("An Atlas of Clouds")
        window.type("\r")
        try await window.shows("Book/1")
        _ = try folder.output("records set school.records Book/1 title=Changed")
        try await window.shows("Changed")
        window.type("h")
        try await window.shows("Book: 2 records")
        #expect(window.shown.contains("Changed") && !window.shown.contains("Atlas"))
        window.type("q")
        try await window.ended()
    }

    @Test func answerTypedBeforeThePlanIsShownIsNone() async throws {
        let folder = try SchoolFile.folder()
        let place = BrowserPlace.record(try Record.ID("School/hilltop"))
        let window = try await BrowserWindow(folder.path("school.records"), lines: 20, at: place)
        try await window.shows("School/hilltop")
        window.type("dy")
        try await window.shows("Delete? y yes  n no")
        window.type("n")
        try await window.shows("nothing is deleted")
        window.type("q")
        try await window.ended()
        #expect(try folder.run("records get school.records School/hilltop").status == 0)
    }

    @Test func deletionIsPlannedAndAllowedFirst() async throws {
        let folder = try SchoolFile.folder()
        let place = BrowserPlace.record(try Record.ID("Book/1"))
        let window = try await BrowserWindow(folder.path("school.records"), lines: 20, at: place)
        window.type("dy")
        try await window.shows("References prevent the deletion")
        window.type("c")
        try await window.shows("Delete? y yes  n no")
        window.type("y")
        try await window.shows("deleted 1 record")
        window.type("q")
        try await window.ended()
        #expect(try folder.run("records get school.records Book/1").status == 1)
        #expect(try folder.output("records verify school.records").contains("no problems"))
    }

    #if os(Linux)
    @Test(arguments: [SIGKILL, SIGTERM, SIGHUP, SIGQUIT]) func terminalIsRestoredAfterASignal(signal: Int32)
        async throws
    {
        let setsid = try #require(Shell.path(of: "setsid"))
        let folder = try SchoolFile.folder()
        let terminal = try PseudoTerminal(columns: 40)
        var before = termios()
        try #require(tcgetattr(terminal.slave, &before) == 0)
        let name = try #require(ttyname(terminal.slave).map { String(cString: $0) })
        let process = Process()
        process.executableURL = URL(filePath: setsid)
        // The first terminal that a session opens becomes its own, as /dev/tty.
        let script = "exec <>\(name); echo $$ > '\(folder.path("pid"))'; exec '\(Shell.tool)' browse school.records"
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
        var after = termios()
        try #require(tcgetattr(terminal.slave, &after) == 0)
        #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
    }
    #endif
}

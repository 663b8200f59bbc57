import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@testable import records

/// A session of `browse` on a pseudo terminal, and what its window shows.
final class BrowserWindow {
    let terminal: PseudoTerminal
    private let session: Task<Void, any Error>
    private var lines: [String] = []
    private var cursor = 0

    /// Starts a session.
    ///
    /// - Parameter canEdit: Whether the records of a database can be changed.
    init(_ path: String, columns: UInt16 = 80, lines: UInt16 = 12, at start: BrowserPlace? = nil, canEdit: Bool = true)
        async throws
    {
        terminal = try PseudoTerminal(columns: columns)
        var size = winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal.slave, UInt(TIOCSWINSZ), &size) == 0)
        let descriptor = terminal.slave
        // Before the tasks of all other tests, which start at the same time.
        session = Task(priority: .high) {
            let source = try BrowserSource(try await RecordInput(path))
            let console = Console(outputDescriptor: descriptor, errorDescriptor: descriptor, environment: [:])
            let editing = BrowserEditing(console: console) { try FileRecordDatabase(path: path) }
            let screen = try FullScreen(descriptor)
            defer { screen.end() }
            let plain = Terminal(isTerminal: true, width: nil, allowsColour: false)
            try await BrowserSession(source, on: screen, plain, editing: canEdit ? editing : nil).run(from: start)
        }
        // Keys that are typed before the session has the terminal are lost.
        try await shows("? help")
    }

    /// Types text and keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(terminal.master, bytes, bytes.count) == bytes.count)
    }

    /// Types text and keys, and waits until the window shows a text.
    func type(_ text: String, shows expected: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        type(text)
        try await shows(expected, sourceLocation: sourceLocation)
    }

    /// Waits until the window shows a text.
    func shows(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        do {
            try await waitUntil {
                interpret(try terminal.read())
                return shown.contains(text)
            }
        } catch is Overdue {
            Issue.record("'\(text)' is not in\n\(shown)", sourceLocation: sourceLocation)
        }
    }

    /// The lines of the window.
    var shown: String { lines.joined(separator: "\n") }

    /// Waits for the end of the session.
    func ended() async throws {
        try await session.value
        interpret(try terminal.read())
    }

    /// Follows the sequences that a full screen writes.
    private func interpret(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\u{1b}" else {
                while lines.count <= cursor { lines.append("") }
                lines[cursor].unicodeScalars.append(scalar)
                continue
            }
            let parameters = rest.dropFirst().prefix { !("A"..."z").contains($0) }
            rest = rest.dropFirst(parameters.count + 1)
            switch (rest.popFirst(), String(parameters)) {
            case ("H", let place): cursor = (Int(place.split(separator: ";").first ?? "1") ?? 1) - 1
            case ("K", _): if lines.indices.contains(cursor) { lines[cursor] = "" }
            case ("J", "2"): lines = []
            case ("J", _): lines = Array(lines.prefix(cursor))
            default: break
            }
        }
    }
}

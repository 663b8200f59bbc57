import Dispatch
import Foundation
import NestedRecords

/// The whole window of a terminal, which shows lines and reports keys.
///
/// The terminal is as it was after ``end()``, and after any other end of the process.
final class FullScreen {
    /// What happened.
    enum Event: Equatable {
        case key(Key)

        /// The window has another size.
        case resize

        /// ``Waker/wake()`` was called.
        case wake

        /// The terminal is closed.
        case closed
    }

    /// Ends the wait for an event, from any task.
    struct Waker: Sendable {
        fileprivate let descriptor: Int32

        func wake() {
            var byte: UInt8 = 0
            _ = write(descriptor, &byte, 1)
        }
    }

    let waker: Waker
    private let wakes: Int32
    private let terminal: Int32
    private let before: termios
    private var guardian: TerminalGuard?
    private var bytes: [UInt8] = []

    /// Keys that were pressed during work.
    private var keys: [Key] = []
    private var shown: [String] = []
    private var knownSize: (columns: Int, lines: Int) = (0, 0)

    /// Threads that wait for keys: a wait must not keep one that runs tasks.
    private let queue = DispatchQueue(label: "records.keys")

    /// Takes the window of a terminal.
    ///
    /// - Throws: ``SystemError`` if it is not a terminal.
    init(_ terminal: Int32) throws {
        var state = termios()
        guard tcgetattr(terminal, &state) == 0 else { throw SystemError.last }
        (self.terminal, before) = (terminal, state)
        let pipe = try ShellProcess.makePipe()
        for end in [pipe.read, pipe.write] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (wakes, waker) = (pipe.read, Waker(descriptor: pipe.write))
        begin()
    }

    /// The columns and lines of the window.
    var size: (columns: Int, lines: Int) { Self.size(of: terminal) }

    private static func size(of terminal: Int32) -> (columns: Int, lines: Int) {
        let window = Terminal(descriptor: terminal, environment: [:])
        return (max(10, window.width ?? 80), max(4, window.height ?? 24))
    }

    /// Shows lines, each of which fits the window.
    ///
    /// - Parameters:
    ///   - lines: The lines, from the top.
    ///   - cursor: The place of the cursor, counted from 1; nil to hide it.
    func show(_ lines: [String], cursor: (line: Int, column: Int)? = nil) {
        knownSize = size
        var text = "\u{1b}[?25l"
        for (index, line) in lines.enumerated() where index >= shown.count || shown[index] != line {
            // Cleared first: after a full line the cursor is on its last column.
            text += "\u{1b}[\(index + 1);1H\u{1b}[2K" + line
        }
        if lines.count < shown.count { text += "\u{1b}[\(lines.count + 1);1H\u{1b}[J" }
        if let cursor { text += "\u{1b}[\(cursor.line);\(cursor.column)H\u{1b}[?25h" }
        shown = lines
        put(text)
    }

    /// Forgets what the window shows, so that all of it is drawn again.
    func clear() {
        shown = []
        put("\u{1b}[2J")
    }

    /// Forgets the keys that were pressed and not handled.
    func dropKeys() {
        tcflush(terminal, TCIFLUSH)
        (bytes, keys) = ([], [])
    }

    /// Waits for an event; first for the keys that were pressed during work.
    func event() async -> Event { keys.isEmpty ? await nextEvent() : .key(keys.removeFirst()) }

    /// Runs a closure, which the escape key stops.
    ///
    /// - Parameter showing: Shows that the work goes on, if it takes long.
    /// - Throws: `CancellationError` if the work is stopped, and errors of the closure.
    func run<Success: Sendable>(
        _ body: @escaping @Sendable () async throws -> Success, showing: () -> Void
    ) async throws -> Success {
        let (waker, isDone, start) = (waker, Lock(false), ContinuousClock.now)
        let task = Task {
            defer {
                isDone.withLock { $0 = true }
                waker.wake()
            }
            return try await body()
        }
        let drawing = Task {
            // Shorter work shows nothing.
            try await Task.sleep(for: .milliseconds(300))
            waker.wake()
        }
        defer { drawing.cancel() }
        while true {
            if isDone.withLock({ $0 }) { return try await task.value }
            if ContinuousClock.now - start > .milliseconds(250) { showing() }
            switch await nextEvent() {
            case .resize: continue
            case .wake where !Task.isCancelled: continue
            case .key(let key) where key != .escape && key != .control("c"): keys.append(key)
            default:
                task.cancel()
                throw CancellationError()
            }
        }
    }

    private func nextEvent() async -> Event {
        while true {
            if let key = Key.take(from: &bytes, isAll: false) { return .key(key) }
            let (terminal, wakes, known, isBegun) = (terminal, wakes, knownSize, !bytes.isEmpty)
            let ready = await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: Self.wait(terminal, wakes, known, isBegun: isBegun))
                }
            }
            switch ready {
            case .event(let event): return event
            case .bytes([]): if let key = Key.take(from: &bytes, isAll: true) { return .key(key) }
            case .bytes(let new): bytes += new
            }
        }
    }

    private enum Ready {
        case event(Event)

        /// Bytes that were read; none if the rest of a key does not come.
        case bytes([UInt8])
    }

    /// Waits until there is something to read.
    private static func wait(
        _ terminal: Int32, _ wakes: Int32, _ known: (columns: Int, lines: Int), isBegun: Bool
    ) -> Ready {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while true {
            var requests = [terminal, wakes].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Escape sequences arrive in one piece, but for slow lines.
            let count = poll(&requests, 2, isBegun ? 50 : 250)
            if count > 0, requests[1].revents != 0 {
                while read(wakes, &buffer, buffer.count) > 0 {}
                return .event(.wake)
            }
            if count > 0 {
                let isReadable = Int32(requests[0].revents) & Int32(POLLIN) != 0
                let length = isReadable ? read(terminal, &buffer, buffer.count) : 0
                return length > 0 ? .bytes(Array(buffer.prefix(length))) : .event(.closed)
            }
            if isBegun { return .bytes([]) }
            if size(of: terminal) != known { return .event(.resize) }
        }
    }

    /// Gives the terminal back while a closure runs.
    func suspended<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        end()
        defer { begin() }
        return try await body()
    }

    /// Stops the process as Ctrl-Z does, until the shell continues it.
    func stop() {
        end()
        kill(0, SIGTSTP)
        begin()
    }

    /// Restores the terminal.
    func end() {
        put(TerminalGuard.restoration)
        var state = before
        tcsetattr(terminal, TCSADRAIN, &state)
        guardian?.end()
        guardian = nil
    }

    private func begin() {
        guardian = TerminalGuard(of: terminal)
        var state = before
        cfmakeraw(&state)
        tcsetattr(terminal, TCSADRAIN, &state)
        put("\u{1b}[?1049h\u{1b}[?7l")
        clear()
    }

    /// Writes; a failure is seen when keys are read.
    private func put(_ text: String) { systemWriteAll(text, to: terminal) }
}

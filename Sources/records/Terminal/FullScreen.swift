import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

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
    private var shown: [String] = []
    private var knownSize: (columns: Int, lines: Int) = (0, 0)

    /// Threads that wait for keys: a wait must not keep one that runs tasks.
    private let queue = DispatchQueue(label: "records.keys")

    /// Takes the window of a terminal.
    ///
    /// - Parameter terminal: The descriptor, for reading and writing.
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
        bytes = []
    }

    /// Waits for an event.
    func event() async -> Event {
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
            case .rest: if let key = Key.take(from: &bytes, isAll: true) { return .key(key) }
            case .input:
                var buffer = [UInt8](repeating: 0, count: 1_024)
                let count = read(terminal, &buffer, buffer.count)
                guard count > 0 else { return .closed }
                bytes += buffer.prefix(count)
            }
        }
    }

    private enum Ready {
        case input
        case event(Event)

        /// The rest of a key does not come.
        case rest
    }

    /// Waits until there is something to read.
    private static func wait(
        _ terminal: Int32, _ wakes: Int32, _ known: (columns: Int, lines: Int), isBegun: Bool
    ) -> Ready {
        while true {
            var requests = [terminal, wakes].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Escape sequences arrive in one piece, but for slow lines.
            let count = poll(&requests, 2, isBegun ? 50 : 250)
            if count > 0, requests[1].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 64)
                while read(wakes, &buffer, buffer.count) > 0 {}
                return .event(.wake)
            }
            if count > 0 { return Int32(requests[0].revents) & Int32(POLLIN) != 0 ? .input : .event(.closed) }
            if isBegun { return .rest }
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

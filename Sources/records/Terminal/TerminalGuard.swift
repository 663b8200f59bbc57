#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A process that restores a terminal when this process ends without doing so, even if it is killed.
///
/// It waits for a line on a pipe: without one, this process ended too early.
struct TerminalGuard {
    /// The sequences that lead back from a full screen: wrapped lines, a visible cursor, the usual screen.
    static let restoration = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    // Descriptor 9 is the terminal. The first output says that the state is saved.
    private static let script = """
        trap '' INT QUIT TERM HUP TSTP TTOU PIPE
        saved=$(stty -g <&9) || exit
        echo
        read -r line && exit
        stty "$saved" <&9
        printf '\\033[?7h\\033[?25h\\033[?1049l' >&9
        """

    private let process: pid_t
    private let pipe: Int32

    /// Starts the process, and waits until it has saved the state of the terminal.
    ///
    /// - Parameter terminal: The descriptor of the terminal.
    /// - Returns: nil if the system has no `sh` or no `stty`; the terminal is then restored by ``FullScreen`` alone.
    init?(of terminal: Int32) {
        guard let input = Self.makePipe() else { return nil }
        guard let output = Self.makePipe() else {
            Self.closeEnds(of: input)
            return nil
        }
        var actions = Self.actions
        posix_spawn_file_actions_init(&actions)
        for (descriptor, target) in [(terminal, 9), (input.read, 0), (output.write, 1)] {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
        }
        var arguments = (["sh", "-c", Self.script] as [String]).map { strdup($0) } + [nil]
        defer {
            for argument in arguments { free(argument) }
            posix_spawn_file_actions_destroy(&actions)
        }
        var process = pid_t()
        let isStarted = posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, environ) == 0
        close(input.read)
        close(output.write)
        var byte: UInt8 = 0
        let isReady = isStarted && read(output.read, &byte, 1) == 1
        close(output.read)
        (self.process, pipe) = (process, input.write)
        guard !isReady else { return }
        close(pipe)
        if isStarted { waitpid(process, nil, 0) }
        return nil
    }

    /// Ends the process, after the terminal was restored.
    func end() {
        var line = UInt8(ascii: "\n")
        _ = write(pipe, &line, 1)
        close(pipe)
        waitpid(process, nil, 0)
    }

    /// A pipe that no other process inherits: its end is noticed only after all have closed it.
    private static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func closeEnds(of pipe: (read: Int32, write: Int32)) {
        close(pipe.read)
        close(pipe.write)
    }

    #if canImport(Darwin)
    private static var actions: posix_spawn_file_actions_t? { nil }
    #else
    private static var actions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    #endif
}

/// `pipe(2)` under another name, since ``TerminalGuard`` has a property of that name.
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }

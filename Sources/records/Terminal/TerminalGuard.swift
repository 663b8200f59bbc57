import Foundation

/// A process that restores a terminal when this process ends without doing so, even if it is killed.
///
/// It waits for a line on a pipe: without one, this process ended too early.
struct TerminalGuard {
    /// The sequences that lead back from a full screen: wrapped lines, a visible cursor, the usual screen.
    static let restoration = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    // Descriptor 3 is the terminal. The first output says that the state is saved.
    private static let script = """
        trap '' INT QUIT TERM HUP TSTP TTOU PIPE
        saved=$(stty -g <&3) || exit
        echo
        read -r line && exit
        stty "$saved" <&3
        printf %s "$1" >&3
        """

    private let process: ShellProcess
    private let pipe: Int32

    /// Starts the process, and waits until it has saved the state of the terminal.
    ///
    /// - Returns: nil if the system has no `sh` or no `stty`; the terminal is then restored by ``FullScreen`` alone.
    init?(of terminal: Int32) {
        guard let input = try? ShellProcess.makePipe() else { return nil }
        guard let output = try? ShellProcess.makePipe() else {
            close(input.read)
            close(input.write)
            return nil
        }
        // The terminal last: 3 may be the number of a pipe.
        let process = try? ShellProcess(
            Self.script, arguments: [Self.restoration],
            descriptors: [(input.read, as: 0), (output.write, as: 1), (terminal, as: 3)])
        close(input.read)
        close(output.write)
        var byte: UInt8 = 0
        let isReady = read(output.read, &byte, 1) == 1
        close(output.read)
        guard isReady, let process else {
            close(input.write)
            _ = process?.wait()
            return nil
        }
        (self.process, pipe) = (process, input.write)
    }

    /// Ends the process, after the terminal was restored.
    func end() {
        var line = UInt8(ascii: "\n")
        _ = write(pipe, &line, 1)
        close(pipe)
        _ = process.wait()
    }
}

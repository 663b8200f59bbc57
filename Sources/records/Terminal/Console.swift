import Foundation

/// The streams that commands print to, and the properties of their terminals.
struct Console: Sendable {
    /// Standard output.
    let output: Output

    /// The terminal properties of standard output.
    let outputTerminal: Terminal

    /// The status line on standard error, which also prints errors.
    let statusLine: StatusLine

    /// The pager for long output; nil if there is none, or standard input or output is no terminal.
    let pager: Pager?

    /// The process's own streams.
    static func standard() -> Console {
        Console(outputDescriptor: STDOUT_FILENO, errorDescriptor: STDERR_FILENO)
    }

    /// Makes a console of a stream for output, and one for errors and progress.
    init(
        outputDescriptor: Int32, errorDescriptor: Int32,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        outputTerminal = Terminal(descriptor: outputDescriptor, environment: environment)
        statusLine = StatusLine(
            descriptor: errorDescriptor,
            terminal: Terminal(descriptor: errorDescriptor, environment: environment))
        let isTerminal = outputTerminal.isTerminal
        pager = isTerminal && isatty(STDIN_FILENO) == 1 ? Pager(environment: environment) : nil
        output = Output(
            descriptor: outputDescriptor, isTerminal: isTerminal, statusLine: isTerminal ? statusLine : nil)
    }

    /// Occupies the standard descriptors that were closed when the process started.
    ///
    /// Otherwise the next opened file would get such a descriptor, and messages would overwrite a record file. Using a
    /// closed stream stays an error, since its replacement is opened in the opposite direction.
    ///
    /// Must be called before any file is opened.
    static func secureStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // A new descriptor is the lowest free one, and all lower ones are occupied.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

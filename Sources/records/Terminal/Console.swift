#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    /// Makes a console of given streams.
    ///
    /// - Parameters:
    ///   - outputDescriptor: The file descriptor for output.
    ///   - errorDescriptor: The file descriptor for errors and progress.
    ///   - environment: The environment variables.
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
}

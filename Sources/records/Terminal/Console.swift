#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The streams of the process: where commands print, and what they know of the terminal.
struct Console: Sendable {
    /// Standard output.
    let output: Output

    /// What standard output is connected to.
    let outputTerminal: Terminal

    /// The line on standard error that progress is shown in, and where errors go.
    let statusLine: StatusLine

    /// The process's own streams.
    static func standard() -> Console {
        Console(outputDescriptor: STDOUT_FILENO, errorDescriptor: STDERR_FILENO)
    }

    /// Makes a console of any streams.
    ///
    /// - Parameters:
    ///   - outputDescriptor: Where output goes.
    ///   - errorDescriptor: Where errors and progress go.
    ///   - environment: The environment's variables.
    init(
        outputDescriptor: Int32, errorDescriptor: Int32,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        outputTerminal = Terminal(descriptor: outputDescriptor, environment: environment)
        statusLine = StatusLine(
            descriptor: errorDescriptor,
            terminal: Terminal(descriptor: errorDescriptor, environment: environment))
        let isTerminal = outputTerminal.isTerminal
        output = Output(
            descriptor: outputDescriptor, isTerminal: isTerminal, statusLine: isTerminal ? statusLine : nil)
    }
}

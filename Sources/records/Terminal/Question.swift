#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension Console {
    /// Whether a user can answer questions: standard input and standard error are terminals.
    var canAsk: Bool { isatty(STDIN_FILENO) == 1 && statusLine.terminal.isTerminal }

    /// Asks a question on standard error, until the answer begins with `y` or `n`; no at the end of the input.
    func isConfirmed(_ question: String) -> Bool {
        while true {
            statusLine.print("\(question) [y/n]")
            guard let first = readLine()?.utf8.first.map({ $0 | 0x20 }) else { return false }
            if first == UInt8(ascii: "y") { return true }
            if first == UInt8(ascii: "n") { return false }
        }
    }
}

import Foundation
import NestedRecords

extension Command.Option {
    /// The consent to a change that a command would ask about.
    static let yes = Command.Option.flag("yes", "y", "Do not ask.")

    /// A change that is only shown.
    static let dryRun = Command.Option.flag("dry-run", nil, "Change nothing, and print what would be done.")

    /// The consent to replace records.
    static let overwrite = Command.Option.flag(
        "overwrite", nil, "Replace existing records that have other content.")
}

// The rule for all commands that write: several records are not changed, and none is deleted, without a consent. A command that selects records shows what it would do, and asks; a command that
// reads records from elsewhere replaces others only with an option.
extension ParsedArguments {
    /// Whether the user consents to a change that was shown: by `--yes`, or by the answer to a question.
    ///
    /// - Throws: `UsageError` if the user cannot answer.
    func isConfirmed(_ question: String, otherwise: String) throws -> Bool {
        if try flag("yes") { return true }
        guard console.canAsk else {
            throw UsageError("'\(command.name)' asks on a terminal only: check what it would do, then add '--yes'")
        }
        try console.output.flush()
        if console.isConfirmed(question) { return true }
        console.statusLine.print(otherwise)
        return false
    }
}

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

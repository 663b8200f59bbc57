import Foundation

/// A command line tool with its commands.
struct Program: Sendable {
    /// The name on the command line.
    var name: String

    /// The summary, in one line without a full stop.
    var summary: String

    /// The version that `--version` prints.
    var version: String

    /// The commands, in the order of the help.
    var commands: [Command]

    /// The help that several commands share.
    var guides: [Guide] = []

    /// The command that shows what a word names, such as a file; nil for a word that names nothing.
    var viewer: @Sendable (_ word: String, _ isOnTerminal: Bool) throws -> Command? = { _, _ in nil }

    /// Hides what is secret in the words of a command line from a text.
    var hidingSecrets: @Sendable (_ text: String, _ words: [String]) -> String = { text, _ in text }

    /// Runs a command or shows help; prints an error on one line of standard error, and the place of a mistake below.
    ///
    /// - Returns: The exit status of the process.
    func run(_ arguments: [String], console: Console = .standard()) async -> ExitStatus {
        let status = await finished(arguments, console)
        guard let failure = console.output.endPager(), let pager = console.pager else { return status }
        console.statusLine.print(
            "\(name): the pager '\(pager.command.visible)' \(failure); set PAGER, or use '--no-pager'")
        return status == .done ? .failed : status
    }

    /// Runs a command, and prints its error.
    private func finished(_ arguments: [String], _ console: Console) async -> ExitStatus {
        var status = ExitStatus.done
        do {
            status = try await perform(arguments, console)
            console.statusLine.clear()
            try console.output.flush()
            return status
        } catch is BrokenPipe {
            console.statusLine.clear()
            // The findings of a command do not depend on a reader of the output.
            return status
        } catch {
            // Writes the output before the failure. If that fails too, the first error is enough.
            try? console.output.flush()
            let text = hidingSecrets(ErrorLine.text(of: error), arguments)
            let command = arguments.first.flatMap(command(named:))
            guard let error = error as? UsageError else {
                console.statusLine.print("\(name): \(text)")
                return command?.isCheck ?? false ? .usage : .failed
            }
            let topic = command.map { "\(name) \($0.name)" } ?? name
            console.statusLine.print("\(name): \(text) (see '\(topic) --help')")
            for line in error.mark?.lines(within: console.statusLine.terminal.width ?? 80) ?? [] {
                console.statusLine.print(line)
            }
            return .usage
        }
    }

    /// The commands that help and completion show.
    var shownCommands: [Command] { commands.filter { !$0.isHidden } }

    /// The command with a name.
    func command(named name: String) -> Command? {
        commands.first { $0.name == name }
    }

    private func perform(_ arguments: [String], _ console: Console) async throws -> ExitStatus {
        let help = HelpText(program: self, terminal: console.outputTerminal)
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case nil:
            startPager(console)
            try console.output.write(help.text())
        case "help", "--help", "-h":
            if rest.count > 1 { throw UsageError("unexpected argument '\(rest[1])'") }
            let word = rest.first.flatMap { ["help", "--help", "-h"].contains($0) ? nil : $0 }
            let guide = guides.first { $0.name == word }
            let command = guide == nil ? try word.map(knownCommand) : nil
            startPager(console)
            try console.output.write(guide.map(help.text(of:)) ?? command.map(help.text(of:)) ?? help.text())
        case "--version":
            if let word = rest.first { throw UsageError("unexpected argument '\(word)'") }
            try console.output.write("\(name) \(version)\n")
        case let word? where word.utf8.first == UInt8(ascii: "-") && word.utf8.count > 1:
            throw UsageError.unknown("option", word, known: ["--help", "--version"])
        case let word?:
            // Not a word that people type for a command.
            let isFree = command(named: word) == nil && OtherWords.call(for: word) == nil
            let isOnTerminal = console.outputTerminal.isTerminal && isatty(STDIN_FILENO) == 1
            if isFree, let viewer = try viewer(word, isOnTerminal) {
                return try await run(viewer, arguments, console)
            }
            return try await run(try knownCommand(word), rest, console)
        }
        return .done
    }

    /// Runs a command, or shows its help if the words ask for it.
    private func run(_ command: Command, _ words: [String], _ console: Console) async throws -> ExitStatus {
        guard let values = try ArgumentParser.parse(words, for: command) else {
            startPager(console)
            try console.output.write(HelpText(program: self, terminal: console.outputTerminal).text(of: command))
            return .done
        }
        if command.isPaged, values[Command.Option.noPager.name] == nil { startPager(console) }
        return try await command.run(
            ParsedArguments(program: self, command: command, console: console, values: values))
    }

    /// Shows the output in a pager from now on if it is longer than the screen.
    private func startPager(_ console: Console) {
        if let pager = console.pager { console.output.use(pager, on: console.outputTerminal) }
    }

    private func knownCommand(_ word: String) throws -> Command {
        guard let command = command(named: word) else {
            if let call = OtherWords.call(for: word) {
                throw UsageError("there is no command '\(word)': '\(name) \(call)' does this")
            }
            throw UsageError.unknown("command", word, known: shownCommands.map(\.name) + ["help"])
        }
        return command
    }
}

/// The exit status of the process.
struct ExitStatus: Sendable, Equatable {
    let rawValue: Int32

    /// The command succeeded, and a check found nothing.
    static let done = ExitStatus(rawValue: 0)
    /// The command failed, or found a problem or a difference.
    static let failed = ExitStatus(rawValue: 1)
    /// The command line is wrong, or a check could not be made.
    static let usage = ExitStatus(rawValue: 2)
    /// The user interrupted the process.
    static let interrupted = ended(by: SIGINT)

    /// A check found something.
    static let found = failed

    /// A signal ended the command.
    static func ended(by signal: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + signal) }
}

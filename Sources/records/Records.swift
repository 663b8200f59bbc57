import Foundation

/// The command line tool.
@main enum Records {
    /// The declarations of the commands.
    static let program = Program(
        name: "records",
        summary: "Shows, converts, changes, copies and checks records",
        version: "0.1.0",
        commands: [
            .ls, .get, .query, .browse, .graph, .page, .log, .flatten, .nest, .set, .edit, .delete, .undo, .migrate,
            .copy, .diff, .verify, .index, .compact, .sync, .assets,
            .completions, .manual, .complete,
        ],
        guides: [.filters, .addresses], viewer: viewer, hidingSecrets: ServerAddress.withoutPasswords)

    /// The command that shows a file, an address or standard input.
    private static func viewer(of word: String, isOnTerminal: Bool) throws -> Command? {
        if word == OpenFile.standardInput { return .ls }
        guard try ServerAddress(word) != nil || access(word, F_OK) == 0 else { return nil }
        return isOnTerminal ? .browse : .ls
    }

    static func main() async {
        Console.secureStreams()
        let console = Console.standard()
        Interruption.install()
        // Swift repairs arguments that are not UTF-8, and a repaired path would name another file.
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            let text = ErrorLine.text(
                of: UsageError("argument \(index) is not text in UTF-8: '\(String(cString: word))'"))
            console.statusLine.print("\(program.name): \(text)")
            end(ExitStatus.usage)
        }
        end(await program.run(Array(CommandLine.arguments.dropFirst()), console: console))
    }

    /// Ends the process without the exit handlers of C libraries.
    ///
    /// They free what a thread may still use, such as one that connects to a server to receive its notifications: the
    /// process of a successful command would be aborted.
    private static func end(_ status: ExitStatus) -> Never {
        fflush(nil)
        _exit(status.rawValue)
    }
}

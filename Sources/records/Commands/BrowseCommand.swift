import Foundation
import NestedRecords

extension Command {
    /// Shows records in the whole window of the terminal.
    static let browse = Command(
        name: "browse",
        summary: "Browses records in the terminal, and edits them",
        discussion: """
            Shows the types, the records of a type in columns, and a record with the references to it. Enter follows a \
            reference in both directions, and the left arrow goes back. '?' lists the keys. The records of a database \
            can be edited and deleted, and changes by other programs are shown as they happen.
            """,
        examples: [
            Example("records browse school.records", "The types, and from there every record"),
            Example("records browse school.records Person/ada", "A record, and who refers to it"),
        ],
        arguments: [.records, Argument("START", "The type or the ID to show first.", .optional, kind: .id)]
    ) { arguments in
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        let environment = ProcessInfo.processInfo.environment
        guard descriptor >= 0, environment["TERM"] != "dumb" else {
            throw UsageError("'browse' needs a terminal that can move its cursor")
        }
        defer { close(descriptor) }
        let input = try await arguments.input()
        let source = try BrowserSource(input)
        let start = try arguments.textIfPresent("START").map { text in
            text.utf8.contains(UInt8(ascii: "/"))
                ? BrowserPlace.record(try arguments.id(text)) : .records(BrowserPlace.Selection(type: text))
        }
        if case .records(let selection) = start, let type = selection.type {
            let name = FieldCatalog.Name([type], of: "argument START")
            try await FieldCatalog.checked([name], in: source.database, named: input.name)
        }
        var editing: BrowserEditing?
        if case .database = input.source {
            let path = try arguments.text("FILE")
            editing = BrowserEditing(console: arguments.console) { try await arguments.openForWriting(path) }
        }
        let terminal = Terminal(descriptor: descriptor, environment: environment)
        let signal = try await Interruption.cancelling { [editing] in
            let screen = try FullScreen(descriptor)
            defer { screen.end() }
            try await BrowserSession(source, on: screen, terminal, editing: editing).run(from: start)
        }
        return signal.map(ExitStatus.ended) ?? .done
    }
}

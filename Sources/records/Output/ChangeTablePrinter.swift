import NestedRecords

/// Shows a table of the latest changed records on a terminal, the newest change on top.
final class ChangeTablePrinter: ChangePrinter {
    private struct Row {
        let id: Record.ID
        let change: String
        let fields: String
    }

    private struct State {
        var rows: [Row] = []

        /// The number of lines on the screen, which the next table replaces.
        var lineCount = 0
    }

    private let console: Console
    private let terminal: Terminal
    private let rowCount: Int
    private let state = Lock(State())

    /// - Parameter console: The streams, of which standard output is a terminal.
    init(console: Console) {
        self.console = console
        let screen = console.outputTerminal
        // The last column stays free: a line that wraps would take two lines and be counted as one.
        terminal = Terminal(
            isTerminal: true, width: max(1, (screen.width ?? 80) - 1), allowsColour: screen.allowsColour)
        // Room for the titles and the cursor.
        rowCount = max(1, (screen.height ?? 24) - 2)
    }

    func begin(_ token: ChangeToken) throws {
        try draw()
    }

    func print(_ changes: RecordChanges) throws {
        state.withLock { state in
            let rows =
                changes.saved.map { record in
                    let fields = record.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
                    return Row(id: record.id, change: "saved", fields: fields)
                } + changes.deleted.map { Row(id: $0, change: "deleted", fields: "") }
            let ids = Set(rows.map(\.id))
            state.rows.removeAll { ids.contains($0.id) }
            state.rows = Array((rows.reversed() + state.rows).prefix(rowCount))
        }
        try draw()
    }

    func end(_ token: ChangeToken) { console.statusLine.print("next: \(token)") }

    private func draw() throws {
        let (rows, lineCount) = state.withLock { state in
            defer { state.lineCount = state.rows.count + 1 }
            return (state.rows, state.lineCount)
        }
        var table = Table(header: ["record", "change", "fields"], terminal: terminal, hasIDs: true)
        var lines = ""
        for row in rows { lines += try table.add([.text(row.id.description), .text(row.change), .text(row.fields)]) }
        lines += table.finish()
        try console.output.write((lineCount > 0 ? "\u{1b}[\(lineCount)A\u{1b}[J" : "") + lines)
        try console.output.flush()
    }
}

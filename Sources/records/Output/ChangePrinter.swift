import NestedRecords

/// Prints changes.
protocol ChangePrinter: Sendable {
    /// Prints the text before the first changes.
    func begin(_ token: ChangeToken) throws

    /// Prints changes without buffering, so that readers get them immediately.
    func print(_ changes: RecordChanges) throws

    /// Prints the token to continue after.
    func end(_ token: ChangeToken)
}

/// Prints a line for each change, and the token after the changes last.
struct ChangeLinePrinter: ChangePrinter {
    /// The maximum number of columns of a field value.
    private static let valueWidth = 40

    let console: Console

    /// Whether a line is a JSON object; otherwise it is plain text.
    let isJSON: Bool

    /// Whether the last token is printed on standard error.
    let showsToken: Bool

    func print(_ changes: RecordChanges) throws {
        for record in changes.saved { try printSaved(record) }
        for id in changes.deleted { try printDeleted(id) }
        if isJSON { try printToken(changes.token) }
        try console.output.flush()
    }

    func begin(_ token: ChangeToken) throws {
        guard isJSON else { return }
        try printToken(token)
        try console.output.flush()
    }

    func end(_ token: ChangeToken) {
        // In JSON the token follows each page.
        if !isJSON, showsToken { console.statusLine.print("next: \(token)") }
    }

    private func printSaved(_ record: Record) throws {
        if isJSON { return try printLine("saved") { try $0.write(record) } }
        let fields = record.fields.map { name, value in
            "  \(name.visible): \(value.description.visible(within: Self.valueWidth))"
        }
        try printLine("saved \(record.id.description.visible)" + fields.joined())
    }

    private func printDeleted(_ id: Record.ID) throws {
        if isJSON { return try printLine("deleted") { $0.write(id.description) } }
        try printLine("deleted \(id.description.visible)")
    }

    private func printToken(_ token: ChangeToken) throws {
        try printLine("token") { $0.write(plain: token.description) }
    }

    private func printLine(_ line: String) throws {
        let terminal = console.outputTerminal
        let width = terminal.isTerminal ? terminal.width : nil
        try console.output.write((width.map { line.visible(within: $0) } ?? line) + "\n")
    }

    private func printLine(_ key: String, _ write: (inout JSONWriter) throws -> Void) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeKey(plain: key)
        try write(&writer)
        writer.endObject()
        writer.endLine()
        try console.output.write(json: writer.bytes)
    }
}

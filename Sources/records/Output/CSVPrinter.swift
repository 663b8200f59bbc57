import NestedRecords

/// Prints the records of a type as comma-separated values, as in RFC 4180 except that lines end with line feeds.
///
/// The cell of a missing or null field is empty.
struct CSVPrinter: RecordPrinter {
    private let output: Output
    private let columns: FieldColumns
    private let isForTerminal: Bool
    private let guardsFormulas: Bool

    /// Prints the header.
    ///
    /// - Parameters:
    ///   - output: The stream to print to.
    ///   - columns: The names of the fields.
    ///   - isForTerminal: Whether control characters are escaped, since a terminal would execute them.
    ///   - guardsFormulas: Whether to put an apostrophe before strings that spreadsheets read as formulas.
    init(output: Output, columns: [String], isForTerminal: Bool, guardsFormulas: Bool) throws {
        (self.output, self.columns) = (output, FieldColumns(columns))
        (self.isForTerminal, self.guardsFormulas) = (isForTerminal, guardsFormulas)
        try printLine("@id", self.columns.titles.enumerated().map { ($0, guarded($1)) })
    }

    /// Whether every field of a record has a column.
    func hasColumns(for record: Record) -> Bool { record.fields.allSatisfy { columns.contains($0.name) } }

    func print(_ record: Record) throws {
        try printLine(record.id.description, columns.values(of: record).map { ($0.column, cell($0.value)) })
    }

    func finish() {}

    private func cell(_ value: Record.Value) -> String {
        switch value {
        case .null: ""
        // Numbers that begin with a sign are not formulas.
        case .int, .double, .bool, .date: value.plainText
        default: guarded(value.plainText)
        }
    }

    private func guarded(_ text: String) -> String {
        guard guardsFormulas, let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return text }
        return "'" + text
    }

    /// Prints a line: the ID, and the cells of some columns; other cells are empty.
    private func printLine(_ id: String, _ cells: [(column: Int, text: String)]) throws {
        var line: [UInt8] = []
        append(id, to: &line)
        var commaCount = 0
        func appendCommas(_ count: Int) {
            line += repeatElement(UInt8(ascii: ","), count: count - commaCount)
            commaCount = count
        }
        for (column, text) in cells {
            appendCommas(column + 1)
            append(text, to: &line)
        }
        appendCommas(columns.names.count)
        line.append(UInt8(ascii: "\n"))
        try output.write(line)
    }

    private func append(_ text: String, to line: inout [UInt8]) {
        let bytes = (isForTerminal ? text.visible : text).utf8
        guard bytes.contains(where: { "\",\n\r".utf8.contains($0) }) else { return line += bytes }
        let quote = UInt8(ascii: "\"")
        line.append(quote)
        for byte in bytes { line += repeatElement(byte, count: byte == quote ? 2 : 1) }
        line.append(quote)
    }
}

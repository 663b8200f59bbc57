import NestedRecords

/// The records of a type as comma-separated values, as RFC 4180 has them but for the line ends, which are line feeds.
///
/// A field that a record does not have is empty, and so is null.
struct CSVPrinter: RecordPrinter {
    private let output: Output
    private let columns: [String]
    private let names: Set<String>
    private let isForTerminal: Bool
    private let guardsFormulas: Bool

    /// Prints the header.
    ///
    /// - Parameters:
    ///   - output: Where to.
    ///   - columns: The names of the fields.
    ///   - isForTerminal: Whether control characters are printed as escapes: a terminal would obey them.
    ///   - guardsFormulas: Whether an apostrophe goes before strings that spreadsheets take for formulas.
    init(output: Output, columns: [String], isForTerminal: Bool, guardsFormulas: Bool) throws {
        (self.output, self.columns, names) = (output, columns, Set(columns))
        (self.isForTerminal, self.guardsFormulas) = (isForTerminal, guardsFormulas)
        try output.write(line(["@id"] + columns.map(guarded)))
    }

    /// Whether there is a column for every field of a record.
    func hasColumns(for record: Record) -> Bool { record.fields.allSatisfy { names.contains($0.name) } }

    func print(_ record: Record) throws {
        try output.write(line([record.id.description] + columns.map { record[$0].map(cell) ?? "" }))
    }

    func finish() {}

    private func cell(_ value: Record.Value) -> String {
        switch value {
        case .null: ""
        // Numbers that begin with a sign are no formulas.
        case .int, .double, .bool, .date: value.plainText
        default: guarded(value.plainText)
        }
    }

    private func guarded(_ text: String) -> String {
        guard guardsFormulas, let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return text }
        return "'" + text
    }

    private func line(_ cells: [String]) -> String {
        cells.map { cell in
            let cell = isForTerminal ? cell.visible : cell
            let isPlain = cell.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",") + "\n"
    }
}

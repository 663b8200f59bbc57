import NestedRecords

/// Prints the records of a type as comma-separated values.
///
/// The cell of a missing or null field is empty.
struct CSVPrinter: RecordPrinter {
    private let lines: CSVLines
    private let columns: FieldColumns

    /// Prints the header.
    ///
    /// - Parameters:
    ///   - lines: The printer of the lines.
    ///   - columns: The names of the fields.
    init(_ lines: CSVLines, columns: [String]) throws {
        (self.lines, self.columns) = (lines, FieldColumns(columns))
        try printLine("@id", self.columns.titles.enumerated().map { ($0, lines.guarded($1)) })
    }

    /// Whether every field of a record has a column.
    func hasColumns(for record: Record) -> Bool { record.fields.allSatisfy { columns.contains($0.name) } }

    func print(_ record: Record) throws {
        try printLine(record.id.description, columns.values(of: record).map { ($0.column, lines.cell($0.value)) })
    }

    func finish() {}

    private func printLine(_ id: String, _ cells: [(column: Int, text: String)]) throws {
        let cells = [(column: 0, text: id)] + cells.map { ($0.column + 1, $0.text) }
        try lines.print(cells, columnCount: columns.names.count + 1)
    }
}

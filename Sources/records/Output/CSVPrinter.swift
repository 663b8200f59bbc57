import NestedRecords

/// The records of a type as comma-separated values, as RFC 4180 has them but for the line ends, which are line feeds.
///
/// A field that a record does not have is empty, and so is null.
struct CSVPrinter: RecordPrinter {
    private let output: Output
    private let columns: [String]
    private let names: Set<String>

    /// Prints the header.
    ///
    /// - Parameters:
    ///   - output: Where to.
    ///   - columns: The names of the fields.
    init(output: Output, columns: [String]) throws {
        (self.output, self.columns, names) = (output, columns, Set(columns))
        try output.write(Self.line(["@id"] + columns))
    }

    /// Whether there is a column for every field of a record.
    func hasColumns(for record: Record) -> Bool { record.fields.allSatisfy { names.contains($0.name) } }

    func print(_ record: Record) throws {
        try output.write(Self.line([record.id.description] + columns.map { record[$0].map(Self.cell) ?? "" }))
    }

    func finish() {}

    private static func cell(_ value: Record.Value) -> String {
        if case .null = value { return "" }
        return value.plainText
    }

    private static func line(_ cells: [String]) -> String {
        cells.map { cell in
            let isPlain = cell.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",") + "\n"
    }
}

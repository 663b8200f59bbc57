import NestedRecords

/// Prints rows of cells as csv, as tsv, or as a table in Markdown.
///
/// csv is that of RFC 4180, except that lines end with line feeds. In tsv, a tabulator, a line break and a backslash in a
/// cell are `\t`, `\n`, `\r` and `\\`. In Markdown, a line feed is `<br>`, and signs of its syntax have a backslash.
struct RowPrinter {
    let output: Output
    let format: RecordFormat

    /// Whether control characters are escaped, since a terminal would execute them.
    let isForTerminal: Bool

    /// Whether to put an apostrophe before strings that spreadsheets read as formulas.
    let guardsFormulas: Bool

    /// Prints the titles.
    ///
    /// - Parameter numbers: The columns of numbers, which Markdown aligns to the right.
    func printHeader(_ titles: [String], numbers: Set<Int> = []) throws {
        // The title of the ID is the same for all programs.
        try print(titles.enumerated().map { ($0, $1 == "@id" ? $1 : guarded($1)) }, columnCount: titles.count)
        guard format == .markdown else { return }
        try output.write("|" + titles.indices.map { numbers.contains($0) ? " ---: |" : " --- |" }.joined() + "\n")
    }

    /// The text of a value; empty for null.
    func cell(_ value: Record.Value) throws -> String {
        let text = try value.plainCell()
        // Numbers that begin with a sign are not formulas.
        return value.kind.isNumber || value.numberDigits != nil ? text : guarded(text)
    }

    private func guarded(_ text: String) -> String {
        guard guardsFormulas, let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return text }
        return "'" + text
    }

    /// Prints a row with the cells of some columns; other cells are empty.
    func print(_ cells: [(column: Int, text: String)], columnCount: Int) throws {
        let separator = Array((format == .markdown ? " | " : format == .tsv ? "\t" : ",").utf8)
        var line = format == .markdown ? Array("| ".utf8) : []
        var last = 0
        func goTo(_ column: Int) {
            for _ in last..<column { line += separator }
            last = column
        }
        for (column, text) in cells {
            goTo(column)
            line += escaped(text)
        }
        goTo(max(last, columnCount - 1))
        // Readers skip an empty line.
        if line.isEmpty, format == .csv { line = Array("\"\"".utf8) }
        line += Array((format == .markdown ? " |\n" : "\n").utf8)
        try output.write(line)
    }

    private func escaped(_ text: String) -> [UInt8] {
        var cell: [UInt8] = []
        switch format {
        case .tsv:
            for byte in text.utf8 {
                switch byte {
                case 0x09: cell += Array("\\t".utf8)
                case 0x0A: cell += Array("\\n".utf8)
                case 0x0D: cell += Array("\\r".utf8)
                case UInt8(ascii: "\\"): cell += [byte, byte]
                default: cell.append(byte)
                }
            }
        case .markdown:
            for byte in text.utf8 {
                switch byte {
                case 0x0A: cell += Array("<br>".utf8)
                case 0x0D: cell += Array("&#13;".utf8)
                default: cell += "\\|`*_[]<&~".utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
                }
            }
        default:
            let bytes = (isForTerminal ? text.visible : text).utf8
            guard bytes.contains(where: { "\",\n\r".utf8.contains($0) }) else { return Array(bytes) }
            let quote = UInt8(ascii: "\"")
            for byte in bytes { cell += repeatElement(byte, count: byte == quote ? 2 : 1) }
            return [quote] + cell + [quote]
        }
        return isForTerminal ? Array(String(decoding: cell, as: UTF8.self).visible.utf8) : cell
    }
}

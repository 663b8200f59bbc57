import NestedRecords

/// Prints lines of comma-separated values, as in RFC 4180 except that they end with line feeds.
struct CSVLines {
    let output: Output

    /// Whether control characters are escaped, since a terminal would execute them.
    let isForTerminal: Bool

    /// Whether to put an apostrophe before strings that spreadsheets read as formulas.
    let guardsFormulas: Bool

    /// The text of a value.
    func cell(_ value: Record.Value) -> String {
        if value == .null { return "" }
        // Numbers that begin with a sign are not formulas.
        return value.kind.isNumber ? value.plainText : guarded(value.plainText)
    }

    func guarded(_ text: String) -> String {
        guard guardsFormulas, let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return text }
        return "'" + text
    }

    /// Prints a line with the cells of some columns; other cells are empty.
    func print(_ cells: [(column: Int, text: String)], columnCount: Int) throws {
        var line: [UInt8] = []
        var commaCount = 0
        func appendCommas(_ count: Int) {
            line += repeatElement(UInt8(ascii: ","), count: count - commaCount)
            commaCount = count
        }
        for (column, text) in cells {
            appendCommas(column)
            append(text, to: &line)
        }
        appendCommas(columnCount - 1)
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

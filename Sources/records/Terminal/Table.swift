/// Rows in columns, for streams of rows that need not fit the memory.
///
/// The first rows are kept until there are enough of them to know how wide the columns have to be; later ones are cut
/// or padded to that. Where there is a terminal no line is wider than it: wide columns shrink first, and columns that
/// do not fit at all are left out, which a last column `…+2` says. Elsewhere nothing is cut.
struct Table {
    /// The rows that the widths come from, unless they are very long.
    static let sampleSize = 1_000
    private static let sampleBytes = 4 << 20
    private static let gap = "  "

    private let header: [String]
    private let terminal: Terminal
    private let sampleSize: Int

    private var sample: [[Cell]] = []
    private var bytes = 0
    private var columns: [Column]?
    private var omitted = 0

    /// The content of one column of one row.
    struct Cell: Sendable, Equatable {
        var text: String
        /// Whether it is a number: a column of numbers is aligned at its right.
        var isNumber = false

        static let empty = Cell(text: "")

        static func text(_ text: String) -> Cell { Cell(text: text) }

        static func number(_ text: String) -> Cell { Cell(text: text, isNumber: true) }
    }

    private struct Column {
        var width: Int
        var isNumeric: Bool
    }

    /// A row has more cells than the table has columns.
    struct SurplusCell: Error, Equatable, CustomStringConvertible {
        let text: String

        var description: String { "the table has no column for '\(text)'" }
    }

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - header: The titles of the columns.
    ///   - terminal: What the table is printed to.
    ///   - sampleSize: How many rows the widths of the columns come from.
    init(header: [String], terminal: Terminal, sampleSize: Int = Self.sampleSize) {
        self.header = header
        self.terminal = terminal
        self.sampleSize = sampleSize
    }

    /// Adds a row; missing cells at its end are empty.
    ///
    /// - Returns: The lines that can be printed now, each with its line break.
    /// - Throws: ``SurplusCell``.
    mutating func add(_ row: [Cell]) throws -> String {
        if row.count > header.count { throw SurplusCell(text: row[header.count].text) }
        if let columns { return line(row, columns) }
        let kept = row.map { Cell(text: fitted($0.text, terminal.width), isNumber: $0.isNumber) }
        sample.append(kept)
        bytes += kept.reduce(0) { $0 + $1.text.utf8.count }
        return sample.count >= sampleSize || bytes >= Self.sampleBytes ? start() : ""
    }

    /// Ends the table.
    ///
    /// - Returns: The lines that are not printed yet, the header among them if there were few rows.
    mutating func finish() -> String {
        columns == nil ? start() : ""
    }

    /// Settles the widths, and gives the header and the rows so far.
    private mutating func start() -> String {
        let natural = header.indices.map { index in
            sample.reduce(fitted(header[index], terminal.width).displayWidth) { width, row in
                index < row.count ? max(width, row[index].text.displayWidth) : width
            }
        }
        let layout = TableLayout(natural: natural, within: terminal.width, gap: Self.gap.count)
        let columns = layout.widths.enumerated().map { index, width in
            let cells = sample.lazy.compactMap { index < $0.count && !$0[index].text.isEmpty ? $0[index] : nil }
            return Column(width: width, isNumeric: !cells.isEmpty && cells.allSatisfy(\.isNumber))
        }
        self.columns = columns
        omitted = layout.omitted
        let title = line(header.map(Cell.text), columns, mark: layout.mark).dropLast()
        let lines = sample.map { line($0, columns) }.joined()
        sample = []
        return terminal.bold(String(title)) + "\n" + lines
    }

    private func line(_ row: [Cell], _ columns: [Column], mark: String = "…") -> String {
        var line = ""
        var missing = 0
        for (index, column) in columns.enumerated() {
            let text = index < row.count ? fitted(row[index].text, terminal.width.map { _ in column.width }) : ""
            let padding = max(0, column.width - text.displayWidth)
            if column.isNumeric { missing += padding }
            if !text.isEmpty { append(text, to: &line, after: &missing) }
            if !column.isNumeric { missing += padding }
            missing += Self.gap.count
        }
        if omitted > 0 { append(mark, to: &line, after: &missing) }
        return line + "\n"
    }

    /// Adds a cell, and before it the spaces that are due; so no line ends with spaces.
    private func append(_ text: String, to line: inout String, after missing: inout Int) {
        line += String(repeating: " ", count: missing) + text
        missing = 0
    }

    private func fitted(_ text: String, _ width: Int?) -> String {
        width.map { text.visible(within: $0) } ?? text.visible
    }
}

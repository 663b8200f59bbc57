/// A table for a stream of rows that need not fit in memory.
///
/// The first rows are kept to determine the column widths; later rows are cut or padded to these widths. On a terminal
/// no line exceeds its width: wide columns shrink first, and columns that do not fit are left out, which a last column
/// such as `…+2` reports. Without a terminal nothing is cut. A column of IDs can be excepted: an ID that is longer than
/// half of the terminal is printed whole, and its line is longer.
struct Table {
    /// The maximum number of rows that determine the widths.
    static let sampleSize = 1_000
    private static let sampleBytes = 4 << 20
    private static let gap = "  "

    private let header: [String]
    private let terminal: Terminal
    private let sampleSize: Int

    /// Whether the cells of the first column are never cut.
    private let hasIDs: Bool

    private var sample: [[(column: Int, cell: Cell)]] = []
    private var bytes = 0

    /// The columns; nil before their widths are determined.
    private var layout: TableLayout?
    private var areNumbers: [Bool] = []

    /// The start of each column and the end of the last one, if no cell is too wide.
    private var starts: [Int] = []

    /// The content of one column of one row.
    struct Cell: Sendable, Equatable {
        var text: String
        /// Whether the cell is a number; a column of numbers is aligned to the right.
        var isNumber = false
        /// The colour on a terminal.
        var tint: Tint?

        static let empty = Cell(text: "")

        static func text(_ text: String, _ tint: Tint? = nil) -> Cell { Cell(text: text, tint: tint) }

        static func number(_ text: String, _ tint: Tint? = nil) -> Cell { Cell(text: text, isNumber: true, tint: tint) }
    }

    /// A row has more cells than the table has columns.
    struct SurplusCell: Error, Equatable, CustomStringConvertible {
        let text: String

        var description: String { "the table has no column for '\(text)'" }
    }

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - terminal: The terminal that the table is printed to.
    ///   - hasIDs: Whether the cells of the first column are IDs, which are never cut.
    ///   - sampleSize: The number of rows that determine the column widths.
    init(header: [String], terminal: Terminal, hasIDs: Bool = false, sampleSize: Int = Self.sampleSize) {
        (self.header, self.terminal, self.hasIDs, self.sampleSize) = (header, terminal, hasIDs, sampleSize)
    }

    /// Adds a row; missing cells at the end are empty.
    ///
    /// - Returns: The lines that can be printed now, each with its line break.
    mutating func add(_ row: [Cell]) throws -> String {
        try add(cells: row.enumerated().map { (column: $0, cell: $1) })
    }

    /// Adds a row that may have many empty cells.
    ///
    /// - Parameter cells: The other cells, in the order of their columns.
    /// - Returns: The lines that can be printed now, each with its line break.
    mutating func add(cells: [(column: Int, cell: Cell)]) throws -> String {
        if let (_, cell) = cells.first(where: { $0.column >= header.count }) { throw SurplusCell(text: cell.text) }
        if let layout { return line(cells, layout) }
        let kept = cells.map { column, cell in
            var cell = cell
            cell.text = fitted(cell.text, isWhole(column) ? nil : terminal.width)
            return (column: column, cell: cell)
        }
        sample.append(kept)
        bytes += kept.reduce(0) { $0 + $1.cell.text.utf8.count }
        return sample.count >= sampleSize || bytes >= Self.sampleBytes ? start() : ""
    }

    /// Ends the table.
    ///
    /// - Returns: The remaining lines, including the header if there were few rows.
    mutating func finish() -> String { layout == nil ? start() : "" }

    /// The widths of the widest cells, and whether all cells of each column are numbers.
    static func measured(
        _ titles: [Int], _ cells: some Sequence<(column: Int, cell: Cell)>
    ) -> (widths: [Int], areNumbers: [Bool]) {
        var widths = titles
        // nil if all are empty.
        var areNumbers = [Bool?](repeating: nil, count: titles.count)
        for (column, cell) in cells where !cell.text.isEmpty {
            widths[column] = max(widths[column], cell.text.displayWidth)
            areNumbers[column] = (areNumbers[column] ?? true) && cell.isNumber
        }
        return (widths, areNumbers.map { $0 ?? false })
    }

    /// Determines the widths, and returns the header and the rows so far.
    private mutating func start() -> String {
        let natural: [Int]
        (natural, areNumbers) = Self.measured(header.map { fitted($0, terminal.width).displayWidth }, sample.joined())
        let layout = TableLayout(natural: natural, within: terminal.width, gap: Self.gap.count, hasIDs: hasIDs)
        self.layout = layout
        starts = layout.widths.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1 + Self.gap.count) }
        let title = line(header.enumerated().map { ($0, .text($1)) }, layout, mark: layout.mark).dropLast()
        let lines = sample.map { line($0, layout) }.joined()
        sample = []
        return terminal.bold(String(title)) + "\n" + lines
    }

    private func line(_ cells: [(column: Int, cell: Cell)], _ layout: TableLayout, mark: String = "…") -> String {
        var line = ""
        // The spaces before the next text, so that no line ends with spaces.
        var missing = 0
        var next = 0
        func append(_ text: String) {
            line += String(repeating: " ", count: missing) + text
            missing = 0
        }
        for (index, cell) in cells where index < layout.widths.count {
            let width = layout.widths[index]
            missing += starts[index] - starts[next]
            next = index + 1
            let text = fitted(cell.text, isWhole(index) ? nil : terminal.width.map { _ in width })
            let padding = max(0, width - text.displayWidth)
            if areNumbers[index] { missing += padding }
            if !text.isEmpty { append(terminal.tinted(text, cell.tint)) }
            missing += (areNumbers[index] ? 0 : padding) + Self.gap.count
        }
        missing += starts[layout.widths.count] - starts[next]
        if layout.omitted > 0 { append(mark) }
        return line + "\n"
    }

    private func isWhole(_ column: Int) -> Bool { hasIDs && column == 0 }

    private func fitted(_ text: String, _ width: Int?) -> String {
        width.map { text.visible(within: $0) } ?? text.visible
    }
}

/// Lines of named numbers, aligned to the right.
struct Totals {
    private var rows: [(name: String, number: String)] = []

    /// Adds a number.
    mutating func add(_ name: String, _ number: Int) { rows.append((name, number.grouped)) }

    /// The lines.
    var text: String {
        let width = (rows.map(\.name.count).max() ?? 0) + 2 + (rows.map(\.number.count).max() ?? 0)
        return rows.map { row in
            row.name + String(repeating: " ", count: width - row.name.count - row.number.count) + row.number + "\n"
        }.joined()
    }
}

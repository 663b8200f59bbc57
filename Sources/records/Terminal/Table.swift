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

    private var sample: [[(column: Int, cell: Cell)]] = []
    private var bytes = 0
    private var columns: [Column]?

    /// Where each column begins, and behind them where another one would, without cells that are too wide.
    private var starts: [Int] = []
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
        try add(cells: row.enumerated().map { (column: $0, cell: $1) })
    }

    /// Adds a row of which most cells may be empty.
    ///
    /// - Parameter cells: The others, in the order of their columns.
    /// - Returns: The lines that can be printed now, each with its line break.
    /// - Throws: ``SurplusCell``.
    mutating func add(cells: [(column: Int, cell: Cell)]) throws -> String {
        if let (_, cell) = cells.first(where: { $0.column >= header.count }) { throw SurplusCell(text: cell.text) }
        if let columns { return line(cells, columns) }
        let kept = cells.map { column, cell in
            (column: column, cell: Cell(text: fitted(cell.text, terminal.width), isNumber: cell.isNumber))
        }
        sample.append(kept)
        bytes += kept.reduce(0) { $0 + $1.cell.text.utf8.count }
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
        var natural = header.map { fitted($0, terminal.width).displayWidth }
        // For each column whether all cells in it are numbers; nil where all are empty.
        var areNumbers = [Bool?](repeating: nil, count: header.count)
        for (column, cell) in sample.joined() where !cell.text.isEmpty {
            natural[column] = max(natural[column], cell.text.displayWidth)
            areNumbers[column] = (areNumbers[column] ?? true) && cell.isNumber
        }
        let layout = TableLayout(natural: natural, within: terminal.width, gap: Self.gap.count)
        let columns = zip(layout.widths, areNumbers).map { Column(width: $0, isNumeric: $1 ?? false) }
        self.columns = columns
        starts = columns.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.width + Self.gap.count) }
        omitted = layout.omitted
        let title = line(header.enumerated().map { ($0, .text($1)) }, columns, mark: layout.mark).dropLast()
        let lines = sample.map { line($0, columns) }.joined()
        sample = []
        return terminal.bold(String(title)) + "\n" + lines
    }

    private func line(_ cells: [(column: Int, cell: Cell)], _ columns: [Column], mark: String = "…") -> String {
        var line = ""
        var missing = 0
        var next = 0
        for (index, cell) in cells where index < columns.count {
            let column = columns[index]
            missing += starts[index] - starts[next]
            next = index + 1
            let text = fitted(cell.text, terminal.width.map { _ in column.width })
            let padding = max(0, column.width - text.displayWidth)
            if column.isNumeric { missing += padding }
            if !text.isEmpty { append(text, to: &line, after: &missing) }
            if !column.isNumeric { missing += padding }
            missing += Self.gap.count
        }
        missing += starts[columns.count] - starts[next]
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

/// Named numbers below each other, the numbers aligned at their right.
struct Totals {
    private var rows: [(name: String, number: String)] = []

    /// Adds a number.
    mutating func add(_ name: String, _ number: Int) {
        rows.append((name, number.grouped))
    }

    /// The lines.
    var text: String {
        let names = rows.map(\.name.count).max() ?? 0
        let numbers = rows.map(\.number.count).max() ?? 0
        return rows.map { row in
            let gap = names - row.name.count + 2 + numbers - row.number.count
            return row.name + String(repeating: " ", count: gap) + row.number + "\n"
        }.joined()
    }
}

import NestedRecords

/// Rows in columns, of which the window shows a part.
struct Listing: Sendable {
    /// A row, and the place that it leads to.
    struct Row: Sendable {
        /// What identifies the row when the rows are read again.
        var key: String
        var cells: [Table.Cell]
        var target: BrowserPlace?

        /// Rows of one cell, each a line.
        static func lines(_ lines: [String]) -> [Row] {
            lines.enumerated().map { Row(key: "\($0)", cells: [.text($1)]) }
        }
    }

    /// The space before each row, for the mark of the selected one.
    private static let margin = 2
    private static let gap = 2

    private(set) var header: [String] = []
    private(set) var rows: [Row] = []
    private(set) var selection = 0
    private var top = 0

    /// The number of columns after the first one that are scrolled out.
    private var hidden = 0
    private var natural: [Int] = []
    private var areNumbers: [Bool] = []

    /// The selected row; nil if there is none.
    var selected: Row? { rows.indices.contains(selection) ? rows[selection] : nil }

    /// Whether the selected row is one of the last ones.
    var isNearEnd: Bool { selection + 50 > rows.count }

    /// Replaces the rows; the selection stays at the row with its key, else at its position.
    mutating func set(header: [String], rows: [Row]) {
        let key = selected?.key
        (self.header, self.rows) = (header, rows)
        let count = max(header.count, rows.lazy.map(\.cells.count).max() ?? 0)
        let titles = (0..<count).map { $0 < header.count ? header[$0].visible.displayWidth : 0 }
        let cells = rows.lazy.flatMap { $0.cells.enumerated().map { (column: $0, cell: $1) } }
        (natural, areNumbers) = Table.measured(titles, cells)
        let isSame = key == nil || selected?.key == key
        select(isSame ? selection : rows.firstIndex { $0.key == key } ?? selection)
    }

    /// Selects a row; a position outside selects the nearest one.
    mutating func select(_ position: Int) { selection = max(0, min(position, rows.count - 1)) }

    /// Scrolls the columns after the first one.
    mutating func scroll(by columns: Int) { hidden = max(0, min(hidden + columns, natural.count - 2)) }

    /// Selects the next row with a text in it, after the last one the first.
    ///
    /// - Returns: Whether there is one.
    mutating func find(_ text: String) -> Bool {
        let search = TextSearch(text, ignoring: .case)
        let order = Array(rows.indices.dropFirst(selection + 1)) + Array(rows.indices.prefix(selection + 1))
        let found = order.first { rows[$0].cells.contains { search.isFound(in: $0.text) } }
        if let found { select(found) }
        return found != nil
    }

    /// The header, if there is one, and the rows around the selected one.
    ///
    /// - Parameter terminal: Whether the selected row may be shown inverse.
    mutating func lines(_ size: (columns: Int, lines: Int), _ terminal: Terminal) -> [String] {
        let height = max(1, size.lines - (header.isEmpty ? 0 : 1))
        top = max(0, min(max(top, selection - height + 1), selection, rows.count - height))
        let layout = TableLayout(
            natural: visibleColumns.map { natural[$0] }, within: size.columns - Self.margin, gap: Self.gap)
        let margin = String(repeating: " ", count: Self.margin)
        var lines: [String] = []
        if !header.isEmpty {
            let cells = header.map { Table.Cell.text($0) }
            lines.append(terminal.bold(margin + line(cells, layout, mark: layout.mark)))
        }
        for position in rows.indices.dropFirst(top).prefix(height) {
            let text = line(rows[position].cells, layout, mark: "…")
            guard position == selection else {
                lines.append(margin + text)
                continue
            }
            lines.append(terminal.inverse("> " + text.padded(to: size.columns - Self.margin)))
        }
        return lines
    }

    private var visibleColumns: [Int] { natural.indices.filter { $0 == 0 || $0 > hidden } }

    private func line(_ cells: [Table.Cell], _ layout: TableLayout, mark: String) -> String {
        var parts = zip(visibleColumns, layout.widths).map { column, width in
            let text = column < cells.count ? cells[column].text.visible(within: width) : ""
            return areNumbers[column] ? "".padded(to: width - text.displayWidth) + text : text.padded(to: width)
        }
        if layout.omitted > 0 { parts.append(mark) }
        return parts.joined(separator: "".padded(to: Self.gap))
    }
}

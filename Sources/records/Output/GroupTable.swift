@_spi(Engines) import NestedRecords

/// Groups of records, or the summary of all: a row for each.
struct GroupTable {
    /// The titles of the values of a summary.
    private static let summaryTitles = ["numbers", "sum", "average", "min", "max"]

    /// The titles: the paths of the groups, then those of a summary.
    let titles: [String]

    private let groupCount: Int
    private let sorts: [(column: Int, isDescending: Bool)]
    private var rows: [[Record.Value?]] = []

    /// Makes a table without rows.
    ///
    /// - Parameters:
    ///   - hasField: Whether a field is summarized.
    ///   - order: The values of `--sort`: each is a column, with a dash before it for descending order.
    init(groups: [FieldPath], hasField: Bool, order: [String]) throws {
        let all = ["count"] + Self.summaryTitles
        let titles = groups.map { $0.filterText.title(besides: all) } + (hasField ? all : ["count"])
        sorts = try order.map { text in
            let isDescending = text.utf8.first == UInt8(ascii: "-")
            let name = isDescending ? String(text.unicodeScalars.dropFirst()) : text
            guard let column = titles.firstIndex(of: name) else {
                let hint =
                    Self.summaryTitles.contains(name)
                    ? "needs '--summarize'" : "does not name a column of groups: \(titles.joined(separator: ", "))"
                throw UsageError("option '--sort': '\(name.shortened)' \(hint)")
            }
            return (column, isDescending)
        }
        (self.titles, groupCount) = (titles, groups.count)
    }

    /// Adds a group.
    mutating func add(_ groups: [Record.Value?], _ summary: RecordSummary) {
        let values: [Record.Value?] = [
            .int(Int64(summary.count)), .int(Int64(summary.numberCount)), summary.sum,
            summary.average.map { .double($0) }, summary.min, summary.max,
        ]
        rows.append(groups + values.prefix(titles.count - groupCount))
    }

    /// Sorts the groups, which are in the order of their values, and keeps the first ones.
    mutating func sort(limit: Int) {
        let keyed = rows.enumerated().map { position, row in
            (keys: sorts.map { SortKey(row[$0.column]) }, position: position, row: row)
        }
        rows = keyed.sorted { left, right in
            for (sort, (a, b)) in zip(sorts, zip(left.keys, right.keys)) where a != b {
                return a < b ? !sort.isDescending : sort.isDescending
            }
            return left.position < right.position
        }.prefix(limit).map(\.row)
    }

    /// Prints a table for people.
    func printTable(on console: Console) throws {
        var table = Table(header: titles, terminal: console.outputTerminal)
        for row in rows {
            let cells = row.indices.map { column -> Table.Cell in
                switch (column - groupCount, shown(row, column)) {
                case (0...1, .int(let count)?): .number(Int(count).grouped)
                case (_, let value): value?.cell ?? .empty
                }
            }
            try console.output.write(try table.add(cells))
        }
        try console.output.write(table.finish())
    }

    /// Prints csv, tsv or Markdown.
    func print(by printer: RowPrinter) throws {
        try printer.printHeader(titles, numbers: Set(groupCount..<titles.count))
        for row in rows {
            let cells = try row.indices.map { (column: $0, text: try shown(row, $0).map(printer.cell) ?? "") }
            try printer.print(cells, columnCount: titles.count)
        }
    }

    /// Prints a list of JSON, or lines.
    func printJSON(to output: Output, isList: Bool, isTyped: Bool) throws {
        var writer = JSONWriter()
        if isList { writer.beginList() }
        for row in rows {
            writer.beginObject()
            for (title, value) in zip(titles, row) {
                writer.writeKey(title)
                if isTyped { writer.write(typed: value ?? .null) } else { try writer.write(plain: value ?? .null) }
            }
            writer.endObject()
            if !isList { writer.endLine() }
            try output.write(json: writer.takeBytes())
        }
        if isList {
            writer.endList()
            writer.endLine()
        }
        try output.write(json: writer.bytes)
    }

    /// A value for people: an average is rounded.
    private func shown(_ row: [Record.Value?], _ column: Int) -> Record.Value? {
        if titles[column] == "average", case .double(let average)? = row[column] {
            return .double(average.roundedToSixDecimals)
        }
        return row[column]
    }
}

extension Double {
    /// The number rounded to six decimals, or to six digits if it is between -1 and 1.
    var roundedToSixDecimals: Double {
        var scale = 1e6
        while abs(self) * scale < 1e5, scale < 1e22 { scale *= 10 }
        let rounded = (self * scale).rounded() / scale
        return rounded.isFinite ? rounded : self
    }
}

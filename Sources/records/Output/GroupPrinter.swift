import NestedRecords

/// Prints groups of records, or the summary of all records: as a table, as JSON or as CSV.
struct GroupPrinter {
    let console: Console

    /// Whether the output is one JSON object with the groups.
    let isJSON: Bool

    /// The format without ``isJSON``.
    let format: RecordFormat

    /// Whether to put an apostrophe before strings that spreadsheets read as formulas.
    let guardsFormulas: Bool

    /// The columns, and the path that is the title of the groups' values.
    let columns: [String]
    let group: FieldPath?

    func print(_ groups: [RecordSummary]) throws {
        switch format {
        case .table where !isJSON: try printTable(of: groups)
        case .csv where !isJSON: try printCSV(of: groups)
        default: try printJSON(of: groups)
        }
    }

    private var titles: [String] {
        columns.map { column in column == "group" ? group?.filterText ?? column : column }
    }

    private func printTable(of groups: [RecordSummary]) throws {
        var table = Table(header: titles, terminal: console.outputTerminal)
        for group in groups {
            let cells = columns.map { column -> Table.Cell in
                switch (column, group.shownValue(of: column)) {
                case ("count", .int(let count)?), ("numbers", .int(let count)?): .number(Int(count).grouped)
                case (_, let value): value?.cell ?? .empty
                }
            }
            try console.output.write(try table.add(cells))
        }
        try console.output.write(table.finish())
    }

    private func printCSV(of groups: [RecordSummary]) throws {
        let lines = CSVLines(
            output: console.output, isForTerminal: console.outputTerminal.isTerminal, guardsFormulas: guardsFormulas)
        try lines.print(titles.enumerated().map { ($0, lines.guarded($1)) }, columnCount: columns.count)
        for group in groups {
            let cells = columns.enumerated().map { ($0, group.shownValue(of: $1).map(lines.cell) ?? "") }
            try lines.print(cells, columnCount: columns.count)
        }
    }

    private func printJSON(of groups: [RecordSummary]) throws {
        var writer = JSONWriter()
        if isJSON {
            writer.beginObject()
            writer.writeKey(plain: "summaries")
        }
        let isList = isJSON || format == .json
        if isList { writer.beginList() }
        for group in groups {
            writer.beginObject()
            for column in columns {
                writer.writeKey(plain: column)
                if let value = group.value(of: column) { writer.write(typed: value) } else { writer.writeNull() }
            }
            writer.endObject()
            if !isList { writer.endLine() }
            try console.output.write(json: writer.takeBytes())
        }
        if isList { writer.endList() }
        if isJSON { writer.endObject() }
        if isList { writer.endLine() }
        try console.output.write(json: writer.bytes)
    }
}

extension RecordSummary {
    /// The names of all values, in their order.
    static let columns = ["group", "count"] + summaryColumns
    private static let summaryColumns = ["numbers", "sum", "average", "min", "max"]

    /// The names of the values of groups, or of one summary.
    ///
    /// - Parameters:
    ///   - hasGroups: Whether records are grouped.
    ///   - hasField: Whether a field is summarized.
    static func columns(hasGroups: Bool, hasField: Bool) -> [String] {
        (hasGroups ? ["group"] : []) + ["count"] + (hasField ? summaryColumns : [])
    }

    /// The value of a column.
    func value(of column: String) -> Record.Value? {
        switch column {
        case "group": group
        case "count": .int(Int64(count))
        case "numbers": .int(Int64(numberCount))
        case "sum": sum
        case "average": average.map { .double($0) }
        case "min": min
        case "max": max
        default: nil
        }
    }

    /// The value of a column for people: an average is rounded.
    fileprivate func shownValue(of column: String) -> Record.Value? {
        column == "average" ? average.map { .double($0.roundedToSixDecimals) } : value(of: column)
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

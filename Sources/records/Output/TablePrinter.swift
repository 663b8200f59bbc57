import NestedRecords

/// Prints records as tables: one for each type if there are few records, else one for all.
struct TablePrinter: RecordPrinter {
    private let console: Console

    /// The type of all records, if known.
    private let type: String?

    /// The chosen fields, if any.
    private let fields: [String]?

    /// The records before the columns were determined.
    private var first: [Record] = []
    private var table: (columns: FieldColumns, table: Table)?

    init(console: Console, type: String?, fields: [String]?) {
        (self.console, self.type, self.fields) = (console, type, fields)
    }

    mutating func print(_ record: Record) throws {
        guard table == nil else { return try add(record) }
        first.append(record)
        guard first.count >= Table.sampleSize else { return }
        // Too many to wait for all records: later ones may have any type.
        begin(columns: type == nil ? [] : columns(of: first), mayBeOthers: fields == nil)
        for record in first { try add(record) }
        first = []
    }

    mutating func finish() throws {
        if table != nil { return try end() }
        let types = first.map(\.id.type).uniqued()
        for (position, type) in types.enumerated() {
            let records = first.filter { $0.id.type == type }
            if self.type == nil {
                let title = "\(type), \(records.count.countedRecords)"
                try console.output.write((position > 0 ? "\n" : "") + title + "\n")
            }
            begin(columns: columns(of: records), mayBeOthers: false)
            for record in records { try add(record) }
            try end()
        }
    }

    private func columns(of records: [Record]) -> [String] {
        fields ?? records.columnNames
    }

    /// - Parameter mayBeOthers: Whether later records may have fields without a column; a last column shows them.
    private mutating func begin(columns: [String], mayBeOthers: Bool) {
        let columns = FieldColumns(columns)
        let titles = fields == nil ? columns.titles(besides: ["@name", "@id", "…"]) : columns.names
        let header = columns.names.isEmpty ? ["@id", "fields"] : names + titles + (mayBeOthers ? ["…"] : [])
        let hasIDs = ["@name", "@id"].contains(header[0])
        table = (columns, Table(header: header, terminal: console.outputTerminal, hasIDs: hasIDs))
    }

    /// The title of the first column, unless the chosen fields show the name.
    private var names: [String] { fields?.contains { ["@id", "@name"].contains($0) } ?? false ? [] : ["@name"] }

    private mutating func add(_ record: Record) throws {
        guard let columns = table?.columns else { return }
        var cells: [(column: Int, cell: Table.Cell)]
        if columns.names.isEmpty {
            cells = [(0, .text(record.id.description, .reference)), (1, .text(record.fields.description))]
        } else {
            cells =
                names.map { _ in (0, .text(record.id.name, .reference)) }
                + columns.values(of: record).map { ($0.column + names.count, $0.value.cell) }
            // Only fields that no column shows: the name is the first column.
            let rest = record.fields.filter { !columns.contains($0.name) && $0.value.plainText != record.id.name }
            if !rest.isEmpty {
                let text = rest.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
                cells.append((columns.names.count + 1, .text(text)))
            }
        }
        try console.output.write(try table?.table.add(cells: cells) ?? "")
    }

    private mutating func end() throws {
        try console.output.write(table?.table.finish() ?? "")
        table = nil
    }
}

extension Record.Value {
    /// The value as a table cell.
    var cell: Table.Cell { kind.isNumber ? .number(plainText, Tint(self)) : .text(shownText, Tint(self)) }
}

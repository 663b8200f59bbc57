import NestedRecords

/// Prints records as the options of `query` and `get` choose.
struct RecordOutput {
    private let console: Console
    private let format: RecordFormat
    private let form: JSONForm
    private let guardsFormulas: Bool

    /// The chosen fields; nil for all.
    private let fields: [String]?

    /// The type of all records; nil for several.
    private let type: String?

    /// The command options for these values.
    ///
    /// - Parameter formats: The formats, the default on a terminal first.
    static func options(_ formats: [RecordFormat]) -> [Command.Option] {
        [
            RecordFormat.option(formats),
            .flag("typed", nil, "In json and jsonl, print the kinds of all values, as 'copy' reads them."),
            .flag(
                "guard-formulas", nil,
                "In csv and tsv, put an apostrophe before strings that a spreadsheet would read as formulas."),
        ]
    }

    /// Reads the options from the arguments.
    ///
    /// - Parameters:
    ///   - types: The types of the records; unless it is one, the ID is shown.
    ///   - fields: The chosen fields; nil for all.
    ///   - printsIDs: Whether only IDs are printed.
    init(
        _ arguments: ParsedArguments, onTerminal format: RecordFormat, types: [String], fields: FieldSelection?,
        printsIDs: Bool = false
    ) throws {
        console = arguments.console
        let isTyped = try arguments.flag("typed")
        self.format = printsIDs && !arguments.isGiven("format") ? .text : try arguments.format(onTerminal: format)
        (type, self.fields) = (types.count == 1 ? types[0] : nil, fields?.names)
        guardsFormulas = try arguments.flag("guard-formulas")
        let showsIDs = try fields == nil && arguments.showsIDs(of: types, onTerminal: format)
        form = printsIDs ? .id : isTyped ? .typed : .plain(withID: showsIDs)
        if guardsFormulas, self.format != .csv, self.format != .tsv {
            throw UsageError("option '--guard-formulas' needs '--format csv' or tsv")
        }
        let isJSON = [.json, .jsonl].contains(self.format)
        if isTyped, !isJSON { throw UsageError("option '--typed' needs '--format json' or jsonl") }
        if printsIDs, self.format != .text, !isJSON {
            throw UsageError("option '--ids' prints lines, or with '--format' json or jsonl")
        }
        if isTyped, let title = fields?.attributes.first {
            throw UsageError("option '--fields': '\(title)' is not a field, and typed records begin with their IDs")
        }
    }

    /// Prints records.
    ///
    /// - Parameters:
    ///   - input: The name of the input, for errors.
    ///   - canRepeat: Whether the records can be read a second time.
    ///   - forEach: Calls a closure with each record.
    func print(
        of input: String, canRepeat: Bool, end: String = "\n",
        _ forEach: ((Record) throws -> Void) async throws -> Void
    ) async throws {
        var printer: any RecordPrinter
        switch format {
        case .csv, .tsv, .markdown: return try await printRows(of: input, canRepeat: canRepeat, forEach)
        case .table: printer = TablePrinter(console: console, type: type, fields: fields)
        case .text: printer = if case .id = form { IDPrinter(console: console) } else { TextPrinter(console: console) }
        case .json: printer = ListPrinter(output: console.output, as: form, end: end)
        case .jsonl: printer = LinePrinter(output: console.output, as: form)
        }
        try await forEach { try printer.print($0) }
        try printer.finish()
    }

    /// The printer of rows.
    var rows: RowPrinter {
        RowPrinter(
            output: console.output, format: format, isForTerminal: console.outputTerminal.isTerminal,
            guardsFormulas: guardsFormulas)
    }

    /// Prints rows in two passes, since the header needs all field names; a file may change between the passes.
    private func printRows(
        of input: String, canRepeat: Bool, _ forEach: ((Record) throws -> Void) async throws -> Void
    ) async throws {
        var kept: [Record] = []
        var names = fields ?? []
        var known = Set(names)
        var (numbers, others): (Set<String>, Set<String>) = ([], [])
        try await forEach { record in
            for (name, value) in record.fields {
                if known.insert(name).inserted { names.append(name) }
                if value.kind.isNumber { numbers.insert(name) } else { others.insert(name) }
            }
            if !canRepeat { kept.append(record) }
        }
        let attributes = if case .plain(withID: true) = form { ["@id"] } else { [String]() }
        let columns = FieldColumns(names)
        let (rows, first) = (rows, attributes.count)
        let titles = attributes + (fields == nil ? columns.titles(besides: attributes) : columns.names)
        // Records without fields have no cells.
        if titles.isEmpty { return }
        let numeric = numbers.subtracting(others)
        let places = columns.names.indices.filter { numeric.contains(columns.names[$0]) }
        try rows.printHeader(titles, numbers: Set(places.map { $0 + first }))
        func print(_ record: Record) throws {
            let cells = try columns.values(of: record).map { column, value in
                let text = try record.placingPlainError(at: columns.names[column]) { try rows.cell(value) }
                return (column: column + first, text: text)
            }
            let id = first == 0 ? [] : [(column: 0, text: try rows.cell(.string(record.id.description)))]
            try rows.print(id + cells, columnCount: titles.count)
        }
        if !canRepeat { return try kept.forEach(print) }
        try await forEach { record in
            guard record.fields.allSatisfy({ columns.contains($0.name) }) else {
                throw InputError(
                    input: input,
                    reason: "\(record.id) changed while the input was read, and the header has no column for it; "
                        + "try again")
            }
            try print(record)
        }
    }
}

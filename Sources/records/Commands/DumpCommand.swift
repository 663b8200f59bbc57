import NestedRecords

extension Command {
    /// Prints records.
    static let dump = Command(
        name: "dump",
        summary: "Prints the records of a file",
        discussion: """
            Without a terminal it prints lines of typed JSON, which 'import' takes. Records come as the input has them,
            with --sort in the order of the library, where a missing value is before all others. Of several filters all
            must hold. Only --sort holds records in memory, and of lines filters that follow references, and csv from
            standard input.

            A type or a field that occurs nowhere is a mistake of use, unless there are no records at all.
            """,
        examples: [
            Example("records dump school.records", "All records as tables"),
            Example("records dump school.records --type Person --where 'born<2010-01-01'", "Those born before"),
            Example("records dump school.records -t Book -f csv --fields title,cover", "The books for a spreadsheet"),
        ],
        arguments: [.records],
        options: QueryOptions.options + [
            RecordFormat.option([.table, .jsonl, .json, .csv]),
            .flag(
                "guard-formulas", nil,
                "In csv, put an apostrophe before strings that a spreadsheet would take for formulas."),
        ],
        topics: .filters
    ) { arguments in
        let options = try QueryOptions(arguments)
        let console = arguments.console
        let format = try arguments.format(onTerminal: .table)
        let input = try await arguments.input()
        let progress = try await arguments.progress("Reading", of: input, type: options.type)
        defer { progress?.finish() }
        if format == .csv {
            try await printCSV(options, of: input, to: console, guardsFormulas: arguments.flag("guard-formulas"))
        } else {
            var printer: any RecordPrinter =
                switch format {
                case .table: TablePrinter(console: console, type: options.type, fields: options.fields)
                case .json: ListPrinter(output: console.output)
                default: LinePrinter(output: console.output)
                }
            try await options.forEach(in: input) { record in
                try printer.print(record)
                progress?.advance()
            }
            try printer.finish()
        }
        return .done
    }

    /// The header needs the names of all fields first, so a file is read twice, and may be another one then.
    private static func printCSV(
        _ options: QueryOptions, of input: RecordInput, to console: Console, guardsFormulas: Bool
    ) async throws {
        var kept: [Record] = []
        var (type, columns) = (options.type, options.fields ?? [])
        var known = Set(columns)
        try await options.forEach(in: input) { record in
            if let type, type != record.id.type {
                throw UsageError(
                    "csv holds records of one type, and there are \(type) and \(record.id.type): add --type")
            }
            type = record.id.type
            for field in record.fields where known.insert(field.name).inserted { columns.append(field.name) }
            if !input.canBeReadAgain { kept.append(record) }
        }
        let printer = try CSVPrinter(
            output: console.output, columns: columns, isForTerminal: console.outputTerminal.isTerminal,
            guardsFormulas: guardsFormulas)
        if input.canBeReadAgain {
            input.rewind()
            try await options.forEach(in: input) { record in
                guard type == record.id.type, printer.hasColumns(for: record) else {
                    throw InputError(
                        input: input.name,
                        reason: "\(record.id) was changed while it was read, and what is printed has no column for "
                            + "it; try again")
                }
                try printer.print(record)
            }
        } else {
            for record in kept { try printer.print(record) }
        }
    }
}

extension ParsedArguments {
    /// How to print records.
    ///
    /// - Parameter format: How to do it on a terminal unless the user says otherwise.
    /// - Throws: `UsageError`.
    func format(onTerminal format: RecordFormat) throws -> RecordFormat {
        guard let name = try textIfPresent("format") else {
            return console.outputTerminal.isTerminal ? format : .jsonl
        }
        guard let format = RecordFormat(rawValue: name) else {
            throw UsageError.unknown("format", name, known: RecordFormat.allCases.map(\.rawValue))
        }
        return format
    }
}

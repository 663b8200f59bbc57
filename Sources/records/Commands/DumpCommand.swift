import NestedRecords

extension Command {
    /// Prints records.
    static let dump = Command(
        name: "dump",
        summary: "Prints the records of a file",
        discussion: """
            If standard output is not a terminal, the default is lines of typed JSON, which 'import' reads. Records are
            printed in the order of the input, or of --sort, where a missing value is less than all others. A record is
            printed if all filters hold. Records are held in memory with --sort, with filters that follow references in lines, and with
            csv from standard input.

            A type or a field that occurs in no record is a usage error, unless the input has no records.
            """,
        examples: [
            Example("records dump school.records", "All records as tables"),
            Example("records dump school.records --type Person --where 'born<2010-01-01'", "Those born before 2010"),
            Example("records dump school.records -t Book -f csv --fields title,cover", "Books for a spreadsheet"),
        ],
        arguments: [.records],
        options: QueryOptions.options + [
            RecordFormat.option([.table, .jsonl, .json, .csv]),
            .flag(
                "guard-formulas", nil,
                "In csv, put an apostrophe before strings that a spreadsheet would read as formulas."),
        ],
        isPaged: true,
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

    /// Prints CSV in two passes, since the header needs all field names; a file may change between the passes.
    private static func printCSV(
        _ options: QueryOptions, of input: RecordInput, to console: Console, guardsFormulas: Bool
    ) async throws {
        var kept: [Record] = []
        var (type, columns) = (options.type, options.fields ?? [])
        var known = Set(columns)
        try await options.forEach(in: input) { record in
            if let type, type != record.id.type {
                throw UsageError(
                    "csv holds records of one type, but the input has \(type) and \(record.id.type): add --type")
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
                        reason: "\(record.id) changed while the input was read, and the header has no column for it; "
                            + "try again")
                }
                try printer.print(record)
            }
        } else {
            for record in kept { try printer.print(record) }
        }
    }
}

extension ParsedArguments {
    /// The format to print records in.
    ///
    /// - Parameter format: The default on a terminal.
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

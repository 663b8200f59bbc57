import NestedRecords

/// The answer to a query: records, their IDs, their number, groups of them, or the plan to find them.
struct QueryAnswer {
    private enum Form {
        case records, ids, count, summaries, explanation
    }

    /// The options that have no effect together with another option.
    private static let conflicts: [(option: String, with: [String])] = [
        ("count", ["limit", "after", "sort", "fields", "ids", "format"]),
        ("group-by", ["after", "fields", "ids", "count", "explain"]),
        ("summarize", ["after", "fields", "ids", "count", "explain"]),
        ("explain", ["count", "fields", "ids", "json", "format"]), ("ids", ["fields", "format"]), ("json", ["format"]),
    ]

    private let arguments: ParsedArguments
    private let options: QueryOptions
    private let form: Form
    private let format: RecordFormat
    private let isJSON: Bool
    private let after: QueryCursor?

    /// The type of which a page is printed; nil for records in the order of the input.
    private let pageType: String?

    private let group: FieldPath?
    private let summarized: FieldPath?
    private let groupOrder: GroupOrder
    private let groupLimit: Int

    /// Reads the options from the arguments.
    ///
    /// - Parameter hasPages: Whether the command has the options for pages.
    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments, hasPages: Bool) throws {
        self.arguments = arguments
        options = try QueryOptions(arguments)
        after = hasPages ? try arguments.cursor() : nil
        isJSON = hasPages ? try arguments.flag("json") : false
        (group, summarized) = (try arguments.path("group-by"), try arguments.path("summarize"))
        for (option, others) in Self.conflicts where arguments.isGiven(option) {
            for name in others where arguments.isGiven(name) {
                throw UsageError("option '--\(name)' cannot be given together with '--\(option)'")
            }
        }
        for name in ["limit", "sort"] where group == nil && summarized != nil && arguments.isGiven(name) {
            throw UsageError("option '--\(name)' cannot be given together with '--summarize' without '--group-by'")
        }
        groupOrder = try GroupOrder(
            group == nil ? [] : try arguments.texts("sort"),
            columns: RecordSummary.columns(hasGroups: true, hasField: summarized != nil),
            group: group?.filterText ?? "")
        groupLimit = try arguments.integerIfPresent("limit", in: 0...Int.max) ?? .max
        form =
            if group != nil || summarized != nil {
                .summaries
            } else if try arguments.flag("explain") {
                .explanation
            } else if try arguments.flag("count") {
                .count
            } else {
                try arguments.flag("ids") ? .ids : .records
            }
        format = try arguments.format(onTerminal: .table)
        if format != .csv, arguments.isGiven("guard-formulas") {
            throw UsageError("option '--guard-formulas' needs '--format csv'")
        }
        let hasRecords = form == .records || form == .ids
        pageType = hasPages && hasRecords && options.types.count == 1 ? options.types[0] : nil
        if pageType == nil, after != nil || isJSON && hasRecords {
            let name = after == nil ? "json" : "after"
            throw UsageError("option '--\(name)' needs one '--type': a cursor is a place among the records of a type")
        }
    }

    /// Finds the answer and prints it.
    ///
    /// - Throws: `UsageError`, and errors of reading and writing.
    func print() async throws {
        let input = try await arguments.input()
        do {
            if form == .records || form == .ids, pageType == nil {
                try await printStream(of: input)
            } else {
                try await input.naming { try await printResult(of: input) }
            }
        } catch let error as RecordError {
            throw error.asUsageError
        }
    }

    private func printResult(of input: RecordInput) async throws {
        let database = try input.database()
        let groups = [("group-by", group), ("summarize", summarized)].flatMap { name, path in
            path.map { $0.names.isEmpty ? [] : NameUse(types: options.types, path: $0, in: name).parts } ?? []
        }
        let resolved = try await options.resolved(in: database, of: input, and: groups)
        let types = try await options.types(in: database, of: input)
        let printer = QueryPrinter(console: arguments.console, isJSON: isJSON, printsIDs: form == .ids)
        switch form {
        case .summaries:
            let summaries = try await arguments.showing("Summarizing") {
                try await self.summaries(resolved, of: types, in: database, of: input)
            }
            let groups = GroupPrinter(
                console: arguments.console, isJSON: isJSON, format: format,
                guardsFormulas: try arguments.flag("guard-formulas"),
                columns: RecordSummary.columns(hasGroups: group != nil, hasField: summarized != nil), group: group)
            try groups.print(Array(groupOrder.sorted(summaries).prefix(groupLimit)))
            let isFound = summaries.contains { $0.count > 0 }
            try await arguments.printHints(
                for: options.filter, foundRecords: isFound, in: { database.records(ofType: $0) })
        case .explanation:
            for type in types {
                try arguments.console.output.write(
                    try await database.explanation(of: try resolved.query(ofType: type)) + "\n")
            }
        case .count:
            let count = try await arguments.showing("Counting") {
                var count = 0
                for type in types { count += try await database.count(try resolved.query(ofType: type)) }
                return count
            }
            try printer.print(count: count)
            try await arguments.printHints(
                for: options.filter, foundRecords: count > 0, in: { database.records(ofType: $0) })
        case .records, .ids:
            var query = try resolved.query(ofType: types[0])
            query.after = after
            var page = try await arguments.showing("Searching") { try await database.page(query) }
            page.records = try await options.narrowed(page.records, in: database)
            if isJSON || form == .ids {
                try printer.print(page)
            } else {
                try await printRecords(of: input, canRepeat: true) { try page.records.forEach($0) }
                try printer.print(next: page.next)
            }
            let isFound = !page.records.isEmpty || after != nil || options.limit == 0
            try await arguments.printHints(
                for: options.filter, foundRecords: isFound, in: { database.records(ofType: $0) })
        }
    }

    /// The groups of the records of all types together.
    ///
    /// A record with several values is in the group of each.
    private func summaries(
        _ options: QueryOptions, of types: [String], in database: any RecordDatabase, of input: RecordInput
    ) async throws -> [RecordSummary] {
        let leadsAway = [group, summarized].contains { path in
            path.map { path in types.contains { !options.filter.routes.isPlain(path, in: $0) } } ?? false
        }
        if leadsAway {
            let paths = PathValues(database: database)
            var builder = SummaryBuilder(of: summarized, groupedBy: group)
            let size = PathValues.pageSize(for: [group, summarized].compactMap(\.self))
            try await options.forEachPage(of: size, in: database, of: input) { page in
                // A path without names has no values.
                let groups = try await paths.values(at: group ?? FieldPath([]), in: page)
                let fields = try await paths.values(at: summarized ?? FieldPath([]), in: page)
                do {
                    for (groups, numbers) in zip(groups, fields) {
                        let values: [Record.Value?] = groups.isEmpty ? [nil] : groups.uniqued()
                        for group in values {
                            try builder.add(group: group, field: numbers.first)
                            for number in numbers.dropFirst() {
                                try builder.add(group: group, field: number, count: 0)
                            }
                        }
                    }
                } catch let error as RecordError {
                    throw error.withFilterText(of: [group, summarized].compactMap(\.self))
                }
            }
            return builder.summaries
        }
        if types.count == 1 {
            return try await database.summaries(
                of: try options.query(ofType: types[0]), field: summarized, groupedBy: group)
        }
        var scan = try RecordSummaryScan(RecordFilterPart(nil), of: summarized, groupedBy: group)
        try await options.forEach(in: database, of: input) { try scan.add($0) }
        return scan.summaries
    }

    private func printStream(of input: RecordInput) async throws {
        let progress = try await arguments.progress("Reading", of: input, types: options.types)
        defer { progress?.finish() }
        var isEmpty = true
        func note() {
            isEmpty = false
            progress?.advance()
        }
        if form == .ids {
            let printer = QueryPrinter(console: arguments.console, isJSON: false, printsIDs: true)
            try await options.forEach(in: input) { record in
                try printer.print(record.id)
                note()
            }
        } else {
            try await printRecords(of: input, canRepeat: input.canBeReadAgain) { body in
                try await options.forEach(in: input) { record in
                    try body(record)
                    note()
                }
            }
        }
        guard input.canBeReadAgain else { return }
        let isFound = !isEmpty || options.limit == 0
        try await arguments.printHints(for: options.filter, foundRecords: isFound, in: input.recordsAgain)
    }

    /// Prints records in the chosen format.
    ///
    /// - Parameters:
    ///   - input: The input, for errors.
    ///   - canRepeat: Whether the records can be read a second time.
    ///   - forEach: Calls a closure with each record.
    private func printRecords(
        of input: RecordInput, canRepeat: Bool, _ forEach: ((Record) throws -> Void) async throws -> Void
    ) async throws {
        let console = arguments.console
        var printer: any RecordPrinter
        switch format {
        case .csv: return try await printCSV(of: input, canRepeat: canRepeat, forEach)
        case .table:
            let type = options.types.count == 1 ? options.types[0] : nil
            printer = TablePrinter(console: console, type: type, fields: options.fields)
        case .json: printer = ListPrinter(output: console.output)
        default: printer = LinePrinter(output: console.output)
        }
        try await forEach { try printer.print($0) }
        try printer.finish()
    }

    /// Prints CSV in two passes, since the header needs all field names; a file may change between the passes.
    private func printCSV(
        of input: RecordInput, canRepeat: Bool, _ forEach: ((Record) throws -> Void) async throws -> Void
    ) async throws {
        var kept: [Record] = []
        var type = options.types.count == 1 ? options.types[0] : nil
        var columns = options.fields ?? []
        var known = Set(columns)
        try await forEach { record in
            if let type, type != record.id.type {
                throw UsageError(
                    "csv holds records of one type, but the input has \(type) and \(record.id.type): add --type")
            }
            type = record.id.type
            for field in record.fields where known.insert(field.name).inserted { columns.append(field.name) }
            if !canRepeat { kept.append(record) }
        }
        let console = arguments.console
        let lines = CSVLines(
            output: console.output, isForTerminal: console.outputTerminal.isTerminal,
            guardsFormulas: try arguments.flag("guard-formulas"))
        let printer = try CSVPrinter(lines, columns: columns)
        if !canRepeat { return try kept.forEach(printer.print) }
        try await forEach { record in
            guard type == record.id.type, printer.hasColumns(for: record) else {
                throw InputError(
                    input: input.name,
                    reason: "\(record.id) changed while the input was read, and the header has no column for it; "
                        + "try again")
            }
            try printer.print(record)
        }
    }
}

extension RecordError {
    /// The error with paths as the user wrote them: the library does not know steps against references.
    fileprivate func withFilterText(of paths: [FieldPath]) -> RecordError {
        guard let reason, let path = paths.first(where: { reason.utf8.starts(with: "'\($0)'".utf8) })
        else { return self }
        let rest = String(decoding: reason.utf8.dropFirst("'\(path)'".utf8.count), as: UTF8.self)
        return RecordError(code, reason: "'\(path.filterText)'\(rest)")
    }
}

import NestedRecords

/// The answer to a query: records, their IDs, their number, groups of them, or the plan to find them.
struct QueryAnswer {
    private enum Form {
        case records, count, summaries, explanation
    }

    /// The options that have no effect together with another option.
    private static let conflicts: [(option: String, with: [String])] = [
        ("count", ["limit", "after", "next", "sort", "fields", "ids", "format", "typed"]),
        ("group-by", ["after", "next", "fields", "ids", "count", "explain"]),
        ("summarize", ["after", "next", "fields", "ids", "count", "explain"]),
        ("explain", ["count", "fields", "ids", "next", "format", "typed", "fail-empty"]), ("ids", ["fields", "typed"]),
    ]

    private let arguments: ParsedArguments
    private let options: QueryOptions
    private let form: Form
    private let format: RecordFormat
    private let output: RecordOutput
    private let after: QueryCursor?

    /// Whether the cursor of the next page is printed.
    private let printsCursor: Bool

    private let groups: [FieldPath]
    private let summarized: FieldPath?
    private let table: GroupTable
    private let groupLimit: Int

    /// Reads the options from the arguments.
    init(_ arguments: ParsedArguments) throws {
        self.arguments = arguments
        options = try QueryOptions(arguments)
        (after, printsCursor) = (try arguments.cursor(), try arguments.flag("next"))
        (groups, summarized) = (try arguments.paths("group-by").uniqued(), try arguments.paths("summarize").first)
        for (option, others) in Self.conflicts where arguments.isGiven(option) {
            for name in others where arguments.isGiven(name) {
                throw UsageError("option '--\(name)' cannot be given together with '--\(option)'")
            }
        }
        for name in ["limit", "sort"] where groups.isEmpty && summarized != nil && arguments.isGiven(name) {
            throw UsageError("option '--\(name)' cannot be given together with '--summarize' without '--group-by'")
        }
        table = try GroupTable(
            groups: groups, hasField: summarized != nil, order: groups.isEmpty ? [] : try arguments.texts("sort"))
        groupLimit = try arguments.integerIfPresent("limit", in: 0...Int.max) ?? .max
        form =
            if !groups.isEmpty || summarized != nil {
                .summaries
            } else if try arguments.flag("explain") {
                .explanation
            } else {
                try arguments.flag("count") ? .count : .records
            }
        format = try arguments.format(onTerminal: .table)
        output = try RecordOutput(
            arguments, onTerminal: .table, types: options.types, fields: options.fields,
            printsIDs: try arguments.flag("ids"))
        if options.types.count != 1, after != nil || printsCursor {
            throw UsageError(
                "option '--\(after == nil ? "next" : "after")' needs one TYPE: a cursor is a place among the records of "
                    + "a type")
        }
    }

    /// Finds the answer and prints it.
    ///
    /// - Returns: Whether a record was found.
    func print() async throws -> Bool {
        let input = try await arguments.input()
        do {
            // Lines are not held in memory without need.
            let isStream = if case .lines = input.source { after == nil && !printsCursor } else { false }
            if form == .records, isStream || options.types.count != 1 { return try await printStream(of: input) }
            return try await input.naming { try await printResult(of: input) }
        } catch let error as RecordError {
            throw error.asUsageError
        }
    }

    private func printResult(of input: RecordInput) async throws -> Bool {
        let database = try input.database()
        let paths = groups.map { ("group-by", $0) } + (summarized.map { [("summarize", $0)] } ?? [])
        let uses = paths.flatMap { name, path in
            path.names.isEmpty ? [] : FieldCatalog.Name(options.types, path, of: "option '--\(name)'").parts
        }
        var resolved = try await options.resolved(in: database, of: input, and: uses)
        if case .document = input.source, options.types.isEmpty {
            resolved.types = try await groupedTypes(of: input, in: database)
        }
        let types = try await resolved.types(in: database, of: input)
        let isFound: Bool
        switch form {
        case .explanation:
            for type in types {
                try arguments.console.output.write(
                    try await database.explanation(of: try resolved.query(ofType: type)) + "\n")
            }
            return true
        case .summaries:
            isFound = try await printGroups(resolved, of: types, in: database, of: input)
        case .count:
            let count = try await arguments.showing("Counting") {
                var count = 0
                for type in types { count += try await database.count(try resolved.query(ofType: type)) }
                return count
            }
            try arguments.console.output.write("\(count)\n")
            isFound = count > 0
        case .records:
            isFound = try await printPage(try resolved.query(ofType: types[0]), in: database, of: input)
        }
        let isQuiet = isFound || form == .records && (after != nil || options.limit == 0)
        try await arguments.printHints(
            for: options.filter, foundRecords: isQuiet, in: { database.records(ofType: $0) })
        return isFound
    }

    /// The types with the field of the groups, since objects in the lines of a log are records besides the lines; none if
    /// all types are meant.
    private func groupedTypes(of input: RecordInput, in database: any RecordDatabase) async throws -> [String] {
        guard let name = groups.first?.names.first else { return [] }
        var found: [String] = []
        for type in try await input.types(of: database) {
            for try await record in database.records(ofType: type) where record[name] != nil {
                found.append(type)
                break
            }
        }
        return found
    }

    /// Prints the records of one type.
    private func printPage(
        _ query: RecordQuery, in database: any RecordDatabase, of input: RecordInput
    ) async throws -> Bool {
        var query = query
        query.after = after
        var page = try await arguments.showing("Searching") { try await database.page(query) }
        page.records = try await options.narrowed(page.records, in: database)
        let (records, stream) = (page.records, arguments.console.output)
        guard printsCursor else {
            try await output.print(of: input.name, canRepeat: true) { try records.forEach($0) }
            return !records.isEmpty
        }
        if format == .json {
            try stream.write("{\"\(try arguments.flag("ids") ? "ids" : "records")\":")
            let next = page.next.map { "\"\($0)\"" } ?? "null"
            try await output.print(of: input.name, canRepeat: true, end: ",\"next\":\(next)}\n") {
                try records.forEach($0)
            }
        } else {
            try await output.print(of: input.name, canRepeat: true) { try records.forEach($0) }
            // Flushed, so that all records are written before the cursor.
            try stream.flush()
            if let next = page.next { arguments.console.statusLine.print("next: \(next)") }
        }
        return !records.isEmpty
    }

    /// Prints the groups of the records of all types together.
    private func printGroups(
        _ options: QueryOptions, of types: [String], in database: any RecordDatabase, of input: RecordInput
    ) async throws -> Bool {
        let summaries = try await arguments.showing("Summarizing") {
            try await self.summaries(options, of: types, in: database, of: input)
        }
        var table = table
        for (values, summary) in summaries { table.add(values, summary) }
        table.sort(limit: groupLimit)
        switch format {
        case .table, .text: try table.printTable(on: arguments.console)
        case .csv, .tsv, .markdown: try table.print(by: output.rows)
        case .json, .jsonl:
            try table.printJSON(
                to: arguments.console.output, isList: format == .json, isTyped: try arguments.flag("typed"))
        }
        return summaries.contains { $0.summary.count > 0 }
    }

    private func summaries(
        _ options: QueryOptions, of types: [String], in database: any RecordDatabase, of input: RecordInput
    ) async throws -> [(values: [Record.Value?], summary: RecordSummary)] {
        let paths = groups + (summarized.map { [$0] } ?? [])
        let arePlain = paths.allSatisfy { path in types.allSatisfy { options.filter.catalog.isPlain(path, in: $0) } }
        if types.count == 1, groups.count < 2, arePlain {
            let summaries = try await database.summaries(
                of: try options.query(ofType: types[0]), field: summarized,
                groupedBy: groups.first.map { RecordGrouping($0) })
            return summaries.map { (groups.isEmpty ? [] : [$0.group], $0) }
        }
        let catalog = FieldCatalog(in: database)
        var builder = GroupBuilder(of: summarized, groupedBy: groups)
        try await options.forEachPage(of: FieldCatalog.pageSize(for: paths), in: database, of: input) { page in
            var columns: [[[Record.Value]]] = []
            for path in groups { columns.append(try await catalog.values(at: path, in: page)) }
            // A path without names has no values.
            let numbers = try await catalog.values(at: summarized ?? FieldPath([]), in: page)
            do {
                for position in page.indices {
                    try builder.add(columns.map { $0[position] }, numbers[position])
                }
            } catch let error as RecordError {
                throw error.withFilterText(of: paths)
            }
        }
        return builder.summaries
    }

    /// Prints the records in the order of the input, or of `--sort`.
    private func printStream(of input: RecordInput) async throws -> Bool {
        let progress = try await arguments.progress("Reading", of: input, types: options.types)
        defer { progress?.finish() }
        var isFound = false
        try await output.print(of: input.name, canRepeat: input.canBeReadAgain) { body in
            try await options.forEach(in: input) { record in
                try body(record)
                isFound = true
                progress?.advance()
            }
        }
        guard input.canBeReadAgain else { return isFound }
        try await arguments.printHints(
            for: options.filter, foundRecords: isFound || options.limit == 0, in: input.recordsAgain)
        return isFound
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

import NestedRecords

extension Command {
    /// Finds records, for scripts.
    static let query = Command(
        name: "query",
        summary: "Finds records of a type, page by page",
        discussion: """
            The output is for scripts, also on a terminal: a line of typed JSON for each record, with --ids a line with
            each ID, with --count only the number. Records are sorted by --sort, then by the bytes of their names; a
            missing value is less than all others.

            If there are more records than --limit, the last line on standard error is 'next: CURSOR', printed after
            all records. With --after=CURSOR, and the same type, filters and order, the command prints the next page. No
            record is repeated or left out, even if other records were saved or deleted. With --json the output is one
            object: {"records": […], "next": "CURSOR"}, or {"ids": […], "next": "CURSOR"}, where next is null on the
            last page, or {"count": NUMBER}.

            With --group-by or --summarize the output is a line of JSON for each group: its value and the number of its
            records, and of the summarized field the number of numbers, their exact sum, their average, and the least and
            the greatest value. With --explain the output is the plan of the query in words.

            Lines and pages are held in memory; without --limit the page has all records. A type or a field that occurs
            in no record is a usage error with exit code 2, unless the input has no records.
            """,
        examples: [
            Example("records query school.records --type Book --where 'title~atlas' --count", "Their number"),
            Example("records query school.records --type Student --limit 1 --json", "A page with its cursor"),
            Example("records query school.records --type Student --group-by age", "The number of each age"),
        ],
        arguments: [.records],
        options: QueryOptions.options + [
            .value("after", as: "CURSOR", "Continue after this cursor, from the previous page."),
            .flag("count", nil, "Print the number of records."),
            .flag("explain", nil, "Print how the records are found, and find none."),
            .value("group-by", as: "FIELD", kind: .field, "Print the number of records with each value of this field."),
            .flag("ids", nil, "Print only the IDs of the records."),
            .flag("json", nil, "Print one JSON object that contains the cursor of the next page."),
            .value(
                "summarize", as: "FIELD", kind: .field, "Print the sum, average, minimum and maximum of this field."),
        ],
        isPaged: true,
        topics: .filters
    ) { arguments in
        let options = try QueryOptions(arguments)
        guard let type = options.type else { throw UsageError("option '--type' is missing") }
        var query = try options.query(ofType: type)
        query.after = try arguments.cursor()
        let (isCount, printsIDs) = (try arguments.flag("count"), try arguments.flag("ids"))
        let (group, summarized) = (try arguments.path("group-by"), try arguments.path("summarize"))
        let isExplanation = try arguments.flag("explain")
        let pageOptions = ["limit", "after", "sort", "fields", "ids"]
        try arguments.refuse(pageOptions, besides: "count")
        for name in ["group-by", "summarize"] {
            try arguments.refuse(pageOptions + ["count", "explain"], besides: name)
        }
        try arguments.refuse(["count", "fields", "ids", "json"], besides: "explain")
        try arguments.refuse(["fields"], besides: "ids")
        let input = try await arguments.input()
        let printer = QueryPrinter(
            console: arguments.console, isJSON: try arguments.flag("json"), printsIDs: printsIDs)
        do {
            try await input.naming {
                let database = try input.database()
                let others = [("group-by", group), ("summarize", summarized)].compactMap { name, path in
                    path.flatMap { $0.names.isEmpty ? nil : NameUse(type: type, path: $0, in: name) }
                }
                try await options.checkNames(in: database, of: input, and: others)
                if group != nil || summarized != nil {
                    try printer.print(
                        try await arguments.showing("Summarizing") {
                            try await database.summaries(of: query, field: summarized, groupedBy: group)
                        }, isGrouped: group != nil, hasField: summarized != nil)
                } else if isExplanation {
                    try arguments.console.output.write(try await database.explanation(of: query) + "\n")
                } else if isCount {
                    try printer.print(
                        count: try await arguments.showing("Counting") { try await database.count(query) })
                } else {
                    var page = try await arguments.showing("Searching") { try await database.page(query) }
                    page.records = try page.records.map(options.narrowed)
                    try printer.print(page)
                }
            }
        } catch let error as RecordError {
            throw error.asUsageError
        }
        return .done
    }
}

extension ParsedArguments {
    /// The cursor to continue after.
    ///
    /// - Throws: `UsageError` if the value is not a cursor.
    fileprivate func cursor() throws -> QueryCursor? {
        guard let text = try textIfPresent("after") else { return nil }
        guard let cursor = QueryCursor(text) else {
            throw UsageError("option '--after' must be the unchanged cursor of an earlier page")
        }
        return cursor
    }

    /// The path that is the value of an option; nil if it is not given.
    ///
    /// - Throws: `UsageError`.
    fileprivate func path(_ option: String) throws -> FieldPath? {
        guard let value = try textIfPresent(option) else { return nil }
        var text = FilterText(value, owner: "option '--\(option)'")
        guard case .path(let path) = try FilterSubject(&text) else {
            throw UsageError("option '--\(option)' must be a field, and not '\(value)'")
        }
        guard text.current == nil else { throw text.unexpected("the end") }
        return path
    }

    /// Refuses options that have no effect together with another option.
    ///
    /// - Throws: `UsageError`.
    fileprivate func refuse(_ names: [String], besides option: String) throws {
        guard isGiven(option) else { return }
        for name in names where isGiven(name) {
            throw UsageError("option '--\(name)' cannot be given together with '--\(option)'")
        }
    }
}

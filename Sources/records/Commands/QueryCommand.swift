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

            Lines and pages are held in memory; without --limit the page has all records. A type or a field that occurs
            in no record is a usage error with exit code 2, unless the input has no records.
            """,
        examples: [
            Example("records query school.records --type Book --where 'title~atlas' --count", "Their number"),
            Example("records query school.records --type Student --limit 1 --json", "A page with its cursor"),
        ],
        arguments: [.records],
        options: QueryOptions.options + [
            .value("after", as: "CURSOR", "Continue after this cursor, from the previous page."),
            .flag("count", nil, "Print the number of records."),
            .flag("ids", nil, "Print only the IDs of the records."),
            .flag("json", nil, "Print one JSON object that contains the cursor of the next page."),
        ],
        topics: .filters
    ) { arguments in
        let options = try QueryOptions(arguments)
        guard let type = options.type else { throw UsageError("option '--type' is missing") }
        var query = try options.query(ofType: type)
        query.after = try arguments.cursor()
        let (isCount, printsIDs) = (try arguments.flag("count"), try arguments.flag("ids"))
        try arguments.refuse(["limit", "after", "sort", "fields", "ids"], besides: "count")
        try arguments.refuse(["fields"], besides: "ids")
        let input = try await arguments.input()
        let printer = QueryPrinter(
            console: arguments.console, isJSON: try arguments.flag("json"), printsIDs: printsIDs)
        do {
            try await input.naming {
                let database = try input.database()
                try await options.checkNames(in: database, of: input)
                if isCount {
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

    /// Refuses options that have no effect together with a flag.
    ///
    /// - Throws: `UsageError`.
    fileprivate func refuse(_ names: [String], besides flag: String) throws {
        guard try self.flag(flag) else { return }
        for name in names where isGiven(name) {
            throw UsageError("option '--\(name)' cannot be given together with '--\(flag)'")
        }
    }
}

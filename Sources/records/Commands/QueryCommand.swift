import NestedRecords

extension Command {
    /// Finds records, for scripts.
    static let query = Command(
        name: "query",
        summary: "Finds records of a type, page by page",
        discussion: """
            The output is for scripts, on a terminal too: a line of typed JSON for each record, with --ids a line with
            the ID, with --count the number alone. Records come in the order of --sort, and where that is the same, or
            there is none, in the order of the bytes of their names; a missing value is before all others.

            If there are more than --limit allows, the last line on standard error is 'next: CURSOR', printed when all
            records are. With --after=CURSOR, and the same type, filters and order, the next page comes: without
            repeated or left out records, even if others were saved or deleted. With --json standard output has one
            object instead, {"records": […], "next": "CURSOR"}, or {"ids": […], "next": "CURSOR"}, where next is null
            on the last page, or {"count": NUMBER}.

            Lines are held in memory, and so is a page; without --limit it has all records. A type or a field that
            occurs nowhere is a mistake of use, with exit code 2, unless there are no records at all.
            """,
        examples: [
            Example("records query school.records --type Book --where 'title~atlas' --count", "How many there are"),
            Example("records query school.records --type Student --limit 1 --json", "A page, and where to go on"),
        ],
        arguments: [.records],
        options: QueryOptions.options + [
            .value("after", as: "CURSOR", "Go on behind this place, which the page before gave."),
            .flag("count", nil, "Print how many records there are."),
            .flag("ids", nil, "Print the IDs of the records alone."),
            .flag("json", nil, "Print one JSON object, with the cursor of the next page in it."),
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
        } catch let error as RecordQueryError {
            throw error.asUsageError
        }
        return .done
    }
}

extension ParsedArguments {
    /// The place to go on at.
    ///
    /// - Throws: `UsageError` if the user gave something else.
    fileprivate func cursor() throws -> QueryCursor? {
        guard let text = try textIfPresent("after") else { return nil }
        guard let cursor = QueryCursor(text) else {
            throw UsageError("option '--after' is a cursor that a page before gave, unchanged")
        }
        return cursor
    }

    /// Refuses options that say nothing together with another one.
    ///
    /// - Throws: `UsageError`.
    fileprivate func refuse(_ names: [String], besides flag: String) throws {
        guard try self.flag(flag) else { return }
        for name in names where isGiven(name) {
            throw UsageError("option '--\(name)' cannot be given together with '--\(flag)'")
        }
    }
}

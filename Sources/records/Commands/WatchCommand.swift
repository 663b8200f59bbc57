import NestedRecords

extension Command {
    /// Prints changes as they happen.
    static let watch = Command(
        name: "watch",
        summary: "Prints the changes of a database as they happen",
        discussion: """
            Prints a line for each change, made by any process: 'saved' with the ID and the fields, or 'deleted' with
            the ID. Several changes of one record between two reads are printed as one, with the newest state. An
            interrupt ends the command with exit code 0.

            The last line on standard error is 'next: TOKEN'. With --since=TOKEN a later run continues there: it misses
            no change, and no record goes back to an earlier state. Without --since the command begins with the next
            change. A token is refused if the database has forgotten deletions since then, if the token belongs to
            another database, and if the database was restored to an earlier state.

            A PostgreSQL server reports a change after all transactions that began before it have ended, so a long
            transaction delays changes.

            With --json each line of standard output is an object: {"saved": RECORD} in typed JSON, {"deleted": "ID"},
            or {"token": "TOKEN"}. A token is printed at the start, and after the changes that it covers.

            With --table a terminal shows a table of the latest changed records, with the newest change on top.

            --where applies to saved records; all deletions of the type are printed, because the content of a deleted
            record is unknown. A record that no longer matches --where is not printed. The type and the fields need not
            exist yet.
            """,
        examples: [
            Example("records watch school.records --type Book", "The changes of books, until interrupted"),
            Example("records watch school.records --until-current", "The current token, to start from later"),
        ],
        arguments: [.database],
        options: ChangeOptions.options + [
            .value(
                "count", "n", as: "COUNT", "Stop after this number of changes; the last batch is printed whole."),
            .flag("table", nil, "Show a table of the newest changes on the terminal."),
            .flag("until-current", nil, "Stop after the latest change."),
        ],
        topics: .filters
    ) { arguments in
        let options = try ChangeOptions(arguments)
        let count = try arguments.integerIfPresent("count", in: 1...Int.max)
        let isUntilCurrent = try arguments.flag("until-current")
        if count != nil, isUntilCurrent {
            throw UsageError("option '--count' cannot be given together with '--until-current'")
        }
        let console = arguments.console
        let isTable = try arguments.flag("table")
        if isTable, options.isJSON {
            throw UsageError("option '--table' cannot be given together with '--json'")
        }
        if isTable, !console.outputTerminal.isTerminal {
            throw UsageError("option '--table' needs a terminal as standard output")
        }
        let input = try await arguments.input()
        let feed = try input.feed()
        let printer: any ChangePrinter =
            isTable ? ChangeTablePrinter(console: console) : ChangeLinePrinter(console: console, isJSON: options.isJSON)
        let reading = ChangeReading(feed: feed, filter: options.filter, printer: printer)
        let end: ChangeReading.End =
            isUntilCurrent ? .atCurrentState : count.map(ChangeReading.End.afterChanges) ?? .never
        try await Interruption.cancelling {
            try await options.namingErrors(of: input) {
                let now = try await feed.changeToken()
                try await reading.run(from: options.token ?? now, until: end)
            }
        }
        return .done
    }
}

extension ChangeOptions {
    /// Runs a closure that reads changes, and adds advice to the error of an expired token.
    ///
    /// - Throws: The errors of the closure, with the name of the input.
    func namingErrors(of input: RecordInput, _ body: () async throws -> Void) async throws {
        do {
            try await input.naming(body)
        } catch let error as RecordError {
            throw error.asUsageError
        } catch let error as RecordDatabaseError where error.code == .changeTokenExpired {
            let advice =
                error.expiry == .purged
                ? ": take the token of 'records watch FILE --until-current', then all records with 'records export'"
                : ""
            throw InputError(input: input.name, reason: "\(error)\(advice)")
        }
    }
}

import NestedRecords

extension Command {
    /// Prints changes: the history, and those that happen.
    static let log = Command(
        name: "log",
        summary: "Prints the history of a database, and its changes as they happen",
        discussion: """
            Prints a line for each record, in the order of the last changes: 'saved' with the ID and the fields, or
            'deleted' with the ID. It prints no earlier states, and no deletions that the database has forgotten:
            'records compact' keeps only the newest deletions. If deletions are forgotten, the history begins after
            them.

            With --follow the command waits for changes, made by any process, and prints them. Several changes of one
            record between two reads are printed as one, with the newest state. It begins with the next change; an
            interrupt ends it with exit code 0. A PostgreSQL server reports a change after all transactions that began
            before it have ended, so a long transaction delays changes.

            With --since, --limit or --follow the last line on standard error is 'next: TOKEN'. With --since=TOKEN a later run
            continues there: it misses no change, and no record goes back to an earlier state. --since=now prints the
            token of the current state. A token is refused if the database has forgotten deletions since then, if it
            belongs to another database, and if the database was restored to an earlier state.

            With --json each line of standard output is an object: {"saved": RECORD} in typed JSON, {"deleted": "ID"},
            or {"token": "TOKEN"}. A token is printed at the start, and after the changes that it covers.

            --where applies to saved records; all deletions of the type are printed, because the content of a deleted
            record is unknown. A record that no longer matches --where is not printed. The type and the fields need not
            exist yet.
            """,
        examples: [
            Example("records log school.records", "The history, with the latest change at the end"),
            Example("records log school.records Book --follow", "The changes of books, until interrupted"),
            Example("records log school.records --since=now", "The current token, to start from later"),
        ],
        arguments: [.database, .type],
        options: ChangeOptions.options,
        isPaged: true
    ) { arguments in
        let options = try ChangeOptions(arguments)
        let console = arguments.console
        if options.isTable, !console.outputTerminal.isTerminal {
            throw UsageError("option '--table' needs a terminal as standard output")
        }
        let input = try await arguments.input()
        let feed = try input.feed()
        let progress = options.follows ? nil : arguments.barOfOutput("Reading", unit: "changes")
        defer { progress?.finish() }
        let printer: any ChangePrinter =
            options.isTable
            ? ChangeTablePrinter(console: console)
            : ChangeLinePrinter(console: console, isJSON: options.isJSON, showsToken: options.continues)
        let reading = ChangeReading(
            feed: feed, filter: options.filter, printer: printer, follows: options.follows, limit: options.limit,
            progress: progress)
        try await Interruption.cancelling {
            try await options.namingErrors(of: input) { try await reading.run(from: options.start(in: feed)) }
        }
        return .done
    }
}

extension ChangeOptions {
    /// Runs a closure that reads changes, and adds advice to the error of an expired token.
    ///
    /// - Throws: The errors of the closure, with the name of the input.
    fileprivate func namingErrors(of input: RecordInput, _ body: () async throws -> Void) async throws {
        do {
            try await input.naming(body)
        } catch let error as RecordError {
            throw error.asUsageError
        } catch let error as RecordDatabaseError where error.code == .changeTokenExpired {
            let advice =
                error.expiry == .purged
                ? ": take the token of 'records log FILE --since=now', then all records with 'records copy FILE -'"
                : ""
            throw InputError(input: input.name, reason: "\(error)\(advice)")
        }
    }
}

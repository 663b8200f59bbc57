import NestedRecords

extension Command {
    /// Prints changes as they come.
    static let watch = Command(
        name: "watch",
        summary: "Prints what changes in a database, as it changes",
        discussion: """
            A line for each change, whichever process makes it: 'saved' with the ID and the fields, or 'deleted' with the
            ID. Several changes of one record while this command is not looking are one, with the newest state. An
            interrupt ends it, with exit code 0.

            The last line on standard error is 'next: TOKEN'. With --since=TOKEN a later run goes on there: nothing is
            missed, and no record goes back to an earlier state. Without --since it begins with what changes from now
            on. A token is refused if records were deleted since then and the database has forgotten which, if it is one
            of another database, and if the database was put back to an earlier state.

            A server of PostgreSQL gives changes once every transaction that began before has ended, so a long one
            delays them.

            With --json each line of standard output is an object: {"saved": RECORD} in typed JSON, {"deleted": "ID"},
            or {"token": "TOKEN"}. The last one is printed first, and behind the changes that lead to it.

            With --table a terminal shows a table of the records that changed last, with the newest change on top.

            It is not known what was in a deleted record, so --where does not hold deletions back. A record that does
            not match it any more is not printed. A type or a field need not be there yet.
            """,
        examples: [
            Example("records watch school.records --type Book", "What becomes of books, until it is interrupted"),
            Example("records watch school.records --until-current", "Where the database is now, to begin at later"),
        ],
        arguments: [.database],
        options: ChangeOptions.options + [
            .value(
                "count", "n", as: "COUNT", "End when so many changes were printed; the last batch is printed whole."),
            .flag("table", nil, "Keep a table of the newest changes on the terminal."),
            .flag("until-current", nil, "End behind the last change that there is, without waiting for others."),
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
            throw UsageError("option '--table' needs a terminal: standard output is none")
        }
        let input = try await arguments.input()
        let database = try input.observableDatabase()
        let printer: any ChangePrinter =
            isTable ? ChangeTablePrinter(console: console) : ChangeLinePrinter(console: console, isJSON: options.isJSON)
        let reading = ChangeReading(database: database, filter: options.filter, printer: printer)
        let end: ChangeReading.End =
            isUntilCurrent ? .atCurrentState : count.map(ChangeReading.End.afterChanges) ?? .never
        try await Interruption.cancelling {
            try await options.namingErrors(of: input) {
                let now = try await database.changeToken()
                try await reading.run(from: options.token ?? now, until: end)
            }
        }
        return .done
    }
}

extension ChangeOptions {
    /// Does something with changes, and says of a token that is no good what to do.
    ///
    /// - Throws: What the closure throws.
    func namingErrors(of input: RecordInput, _ body: () async throws -> Void) async throws {
        do {
            try await input.naming(body)
        } catch let error as RecordQueryError {
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

import NestedRecords

extension Command {
    /// Prints the history.
    static let log = Command(
        name: "log",
        summary: "Prints the history of a database",
        discussion: """
            A line for each record: 'saved' with the ID and the fields, or 'deleted' with the ID, in the order of their
            last changes. Earlier states are not printed, nor deletions that the database has forgotten:
            'records compact' keeps the newest deletions alone. Where deletions are forgotten, the history begins
            behind them.

            The last line on standard error is 'next: TOKEN', with which --since prints what has changed later; 'records
            watch' goes on there as well. --json and --where are those of 'records watch'.
            """,
        examples: [
            Example("records log school.records", "What was changed last, at the end"),
            Example("records log school.records --type Book --json", "The same of books, for scripts"),
        ],
        arguments: [.database],
        options: ChangeOptions.options,
        topics: .filters
    ) { arguments in
        let options = try ChangeOptions(arguments)
        let input = try await arguments.input()
        let database = try input.observableDatabase()
        let reading = ChangeReading(
            database: database, filter: options.filter,
            printer: ChangeLinePrinter(console: arguments.console, isJSON: options.isJSON))
        try await options.namingErrors(of: input) {
            let oldest = try await database.oldestChangeToken()
            try await reading.run(from: options.token ?? oldest, until: .atCurrentState)
        }
        return .done
    }
}

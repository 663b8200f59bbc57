import NestedRecords

extension Command {
    /// Prints the change history.
    static let log = Command(
        name: "log",
        summary: "Prints the history of a database",
        discussion: """
            Prints a line for each record, in the order of the last changes: 'saved' with the ID and the fields, or
            'deleted' with the ID. It prints no earlier states, and no deletions that the database has forgotten:
            'records compact' keeps only the newest deletions. If deletions are forgotten, the history begins after
            them.

            The last line on standard error is 'next: TOKEN'. With --since=TOKEN, a later 'records log' or 'records
            watch' continues there. --json and --where work as in 'records watch'.
            """,
        examples: [
            Example("records log school.records", "The history, with the latest change at the end"),
            Example("records log school.records --type Book --json", "The history of books, for scripts"),
        ],
        arguments: [.database],
        options: ChangeOptions.options,
        isPaged: true,
        topics: .filters
    ) { arguments in
        let options = try ChangeOptions(arguments)
        let input = try await arguments.input()
        let feed = try input.feed()
        let progress = arguments.barOfOutput("Reading", unit: "changes")
        defer { progress?.finish() }
        let reading = ChangeReading(
            feed: feed, filter: options.filter,
            printer: ChangeLinePrinter(console: arguments.console, isJSON: options.isJSON), progress: progress)
        try await options.namingErrors(of: input) {
            let oldest = try await feed.oldestChangeToken()
            try await reading.run(from: options.token ?? oldest, until: .atCurrentState)
        }
        return .done
    }
}

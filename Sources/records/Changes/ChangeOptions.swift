import NestedRecords

/// The requested changes of a database: their start, their filter, and their form.
struct ChangeOptions: Sendable {
    /// Where reading starts.
    private enum Start {
        case oldest
        case now
        case after(ChangeToken)
    }

    private let start: Start

    /// Whether the command waits for changes.
    let follows: Bool

    /// The number of changes to print; nil for all.
    let limit: Int?

    /// Whether the changes are shown as a table.
    let isTable: Bool

    /// Whether a later run may continue, so that the last token is printed.
    let continues: Bool

    /// The type and the filters.
    let filter: FilterOptions

    /// Whether a line is a JSON object.
    let isJSON: Bool

    /// The command options for these values.
    static let options: [Command.Option] =
        [
            FilterOptions.filterOption,
            .flag("follow", nil, "Wait for changes, and print them as they happen."),
            .value("since", as: "TOKEN", "Begin after this token, from an earlier run, or 'now'."),
            .value("limit", "n", as: "COUNT", "Stop after this number of changes; the last batch is printed whole."),
            .flag("json", nil, "Print a JSON object on each line, with a token after each page."),
            .flag("table", nil, "Show a table of the newest changes on the terminal."),
        ]

    /// Reads the options from the arguments.
    init(_ arguments: ParsedArguments) throws {
        follows = try arguments.flag("follow")
        switch try arguments.textIfPresent("since") {
        case nil: start = follows ? .now : .oldest
        case "now": start = .now
        case let text?:
            guard let token = ChangeToken(text) else {
                throw UsageError("option '--since' must be the unchanged token of an earlier run, or 'now'")
            }
            start = .after(token)
        }
        limit = try arguments.integerIfPresent("limit", in: 1...Int.max)
        isJSON = try arguments.flag("json")
        isTable = try arguments.flag("table")
        if isTable, isJSON { throw UsageError("option '--table' cannot be given together with '--json'") }
        continues = follows || limit != nil || arguments.isGiven("since")
        filter = try FilterOptions(arguments)
    }

    /// The token to start after.
    func start(in feed: any RecordFeed) async throws -> ChangeToken {
        switch start {
        case .oldest: try await feed.oldestChangeToken()
        case .now: try await feed.changeToken()
        case .after(let token): token
        }
    }
}

extension RecordInput {
    /// The changes of the input.
    ///
    /// - Throws: ``InputError`` for lines, and for a database without a feed.
    func feed() throws -> any RecordFeed {
        guard case .database(let database) = source else {
            throw InputError(input: name, reason: "is not a database: only databases have a change history")
        }
        guard let feed = database.feed else { throw InputError(input: name, reason: "has no feed of changes") }
        return feed
    }
}

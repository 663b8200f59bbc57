import NestedRecords

/// The requested changes of a database: their start, their filter, and their form.
struct ChangeOptions: Sendable {
    /// The token to start after; nil if none was given.
    let token: ChangeToken?

    /// The type and the filters.
    let filter: FilterOptions

    /// Whether a line is a JSON object.
    let isJSON: Bool

    /// The command options for these values.
    static let options: [Command.Option] =
        [.value("since", as: "TOKEN", "Begin after this token, from an earlier run.")] + FilterOptions.options
        + [.flag("json", nil, "Print a JSON object on each line, with a token after each page.")]

    /// Reads the options from the arguments.
    ///
    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments) throws {
        if let text = try arguments.textIfPresent("since") {
            guard let token = ChangeToken(text) else {
                throw UsageError("option '--since' must be the unchanged token of an earlier run")
            }
            self.token = token
        } else {
            token = nil
        }
        filter = try FilterOptions(arguments)
        isJSON = try arguments.flag("json")
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

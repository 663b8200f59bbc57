import NestedRecords

/// What the user wants of the changes of a database: from where on, which, and in which form.
struct ChangeOptions: Sendable {
    /// The place to begin at; nil if none was given.
    let token: ChangeToken?

    /// Which records.
    let filter: FilterOptions

    /// Whether a line is a JSON object.
    let isJSON: Bool

    /// The options that it comes from.
    static let options: [Command.Option] =
        [.value("since", as: "TOKEN", "Begin after this token, from an earlier run.")] + FilterOptions.options
        + [.flag("json", nil, "Print a JSON object on each line, with a token after each page.")]

    /// Takes what the user gave.
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
    /// The database, which knows what has changed in it.
    ///
    /// - Throws: ``InputError`` for lines.
    func observableDatabase() throws -> any ObservableRecordDatabase {
        guard case .database(let database) = source else {
            throw InputError(input: name, reason: "is not a database: only databases have a change history")
        }
        return database
    }
}

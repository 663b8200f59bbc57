import NestedRecords

/// The records that a command changes: those with some IDs, or those of a type, all or with filters.
struct RecordSelection {
    /// The IDs; none for the records of a type.
    private let ids: [Record.ID]

    /// The type and the filters; nil for IDs.
    private let filter: FilterOptions?

    /// The command options for the filters.
    static let options: [Command.Option] = [
        FilterOptions.filterOption,
        .flag("all", nil, "All records of TYPE."),
    ]

    /// Reads words: IDs, or one type.
    ///
    /// - Throws: `UsageError` for both or neither, and for a type without a filter or `--all`.
    init(_ words: [String], _ arguments: ParsedArguments) throws {
        let types = words.filter { !$0.utf8.contains(UInt8(ascii: "/")) }
        let isFiltered = try !arguments.texts("where").isEmpty
        let isAll = try arguments.flag("all")
        guard let type = types.first else {
            ids = try words.map(arguments.id).uniqued()
            filter = nil
            guard !ids.isEmpty, !isFiltered, !isAll else {
                throw UsageError(
                    "'\(arguments.command.name)' needs IDs such as Person/ada, or a TYPE with '--where' or '--all'")
            }
            return
        }
        guard words.count == 1 else {
            throw UsageError("'\(type)' is a type: give one type, or IDs such as \(type)/NAME")
        }
        guard isFiltered || isAll else {
            throw UsageError(
                "'\(type)' is a type: '--where' selects some of its records, '--all' all of them, and an ID one, such as "
                    + "\(type)/NAME")
        }
        if isFiltered, isAll { throw UsageError("option '--all' cannot be given together with '--where'") }
        ids = []
        filter = try FilterOptions(arguments, types: [type])
    }

    /// Reads the records.
    ///
    /// - Throws: `UsageError` for a condition that excludes no record because of the kind of its value, and
    ///   ``InputError`` for a missing record.
    func records(in input: RecordInput, _ arguments: ParsedArguments) async throws -> [Record] {
        guard let filter else {
            let found = try await input.database().recordsByID(for: ids)
            let missing = ids.filter { found[$0] == nil }
            guard missing.isEmpty else { throw try await input.missing(missing) }
            return ids.compactMap { found[$0] }
        }
        var found: [Record] = []
        try await QueryOptions(filter: filter).forEach(in: input) { found.append($0) }
        // All records: a condition that excludes none by mistake would change too many.
        let database = try input.database()
        let hints = ConditionHints(
            conditions: filter.conditions, sampleSize: .max, records: { database.records(ofType: $0) })
        let lines = try await hints.lines(foundRecords: !found.isEmpty)
        if !found.isEmpty, let line = lines.first { throw UsageError("option '--where': \(line)") }
        try arguments.printHints(lines)
        return found
    }
}

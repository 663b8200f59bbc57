import NestedRecords

/// The requested records of an input, their order, and their fields.
struct QueryOptions: Sendable {
    /// The type and the filters.
    private(set) var filter: FilterOptions

    /// The fields to print, and their names in the output; nil for all.
    let paths: [(name: String, path: FieldPath)]?

    /// The names of the fields to print; nil for all.
    var fields: [String]? { paths?.map(\.name) }

    /// The maximum number of records; nil for all.
    let limit: Int?

    /// The order; empty for the order of the input.
    let order: QueryOrder

    /// The types and fields in the options.
    let names: [NameUse]

    /// The command options for these values.
    static let options: [Command.Option] =
        FilterOptions.options + [
            .value(
                "fields", as: "A,B", kind: .fields,
                "Only these fields or paths, such as name,place.latitude, in this order."),
            .value(
                "search", as: "TEXT",
                "Only records with this text in the ID, in a name or a value of a field, ignoring case."),
            .value("limit", "n", as: "COUNT", "At most this number of records, or of groups."),
            .value(
                "sort", "s", as: "FIELD", kind: .field, isRepeatable: true,
                "Sort by this field, descending with --sort=-FIELD, then by the next field given. Groups are sorted by "
                    + "group, count, numbers, sum, average, min or max."),
        ]

    /// Reads the options from the arguments.
    ///
    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments) throws {
        filter = try FilterOptions(arguments)
        filter.search = try arguments.textIfPresent("search")
        // Groups have an order and a limit of their own.
        let hasGroups = arguments.isGiven("group-by")
        limit = hasGroups ? nil : try arguments.integerIfPresent("limit", in: 0...Int.max)
        order = hasGroups ? QueryOrder() : try QueryOrder(try arguments.texts("sort"))
        if let path = order.paths.first(where: \.leadsBack) {
            throw UsageError("option '--sort': '\(path.filterText.shortened)' leads to other records; sort by a field")
        }
        let types = filter.types
        var names = filter.names + order.paths.map { NameUse(types: types, path: $0, in: "sort", needsOneValue: true) }
        if let value = try arguments.textIfPresent("fields") {
            let text = FilterText(value, owner: "option '--fields'")
            let fields = try text.paths()
            names += fields.flatMap { path, offset in
                NameUse(types: types, path: path, in: text, at: offset, isList: true).parts
            }
            // A field with a full stop in its name has the text of another path.
            let others = Set(fields.filter { $0.path.names.count > 1 }.map(\.path.filterText))
            paths = fields.map { path, _ in
                let isPlain = path.names.count == 1 && !others.contains(path.names[0])
                return (isPlain ? path.names[0] : path.filterText, path)
            }
        } else {
            paths = nil
        }
        self.names = names
    }

    /// All records of a type, or of all types.
    init(type: String?) { self.init(filter: FilterOptions(type: type)) }

    /// The records of a selection, with all fields.
    init(filter: FilterOptions) {
        self.filter = filter
        (paths, limit) = (nil, nil)
        order = QueryOrder()
        names = filter.names
    }

    /// The types; none for all.
    var types: [String] { filter.types }

    /// Whether a record cannot be tested alone: a condition reads other records, or a path may lead to them.
    var needsAllRecords: Bool {
        filter.followsReferences || filter.search != nil || filter.names.contains { $0.path?.names.count ?? 0 > 1 }
            || paths?.contains { $0.path.names.count > 1 } ?? false
    }

    /// These options with the routes of the paths in the filters.
    ///
    /// - Parameters:
    ///   - database: The records.
    ///   - input: The input that the records are from.
    ///   - others: Names in other options.
    /// - Throws: `UsageError` for a type or a field that does not occur, and errors of reading.
    func resolved(
        in database: any RecordDatabase, of input: RecordInput, and others: [NameUse] = []
    ) async throws -> QueryOptions {
        var check = NameCheck(names + others, input: input.name)
        try await check.look(into: database) { try await input.types(of: database) }
        var options = self
        options.filter.routes = check.routes
        try await options.filter.findRecords(of: try await types(in: database, of: input), in: database)
        return options
    }

    /// The query for the records of a type.
    ///
    /// - Throws: `UsageError`.
    func query(ofType type: String) throws -> RecordQuery {
        RecordQuery(type, where: try filter.filter(ofType: type), order: order.ofOneType, limit: limit)
    }

    /// Records with only the chosen fields, in their order; several values at a path are a list.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - database: The database with the records that paths lead to; nil if they lead to none.
    /// - Throws: `UsageError`, and errors of reading.
    func narrowed(_ records: [Record], in database: (any RecordDatabase)?) async throws -> [Record] {
        guard let paths else { return records }
        var narrow = [Record.Fields](repeating: Record.Fields(), count: records.count)
        for (name, path) in paths {
            if let database, path.names.count > 1 {
                let values = try await PathValues(database: database).values(at: path, in: records)
                for (position, values) in values.enumerated() where !values.isEmpty {
                    narrow[position][name] = values.count == 1 ? values[0] : .list(values)
                }
            } else {
                for (position, record) in records.enumerated() {
                    if let value = path.value(in: record) { narrow[position][name] = value }
                }
            }
        }
        return try zip(records, narrow).map { try Record(id: $0.id, fields: $1, metadata: $0.metadata) }
    }
}

extension RecordError {
    /// The error of a query as a usage error, since the query comes from the command line; another error as it is.
    var asUsageError: any Error {
        switch code {
        case .foreignCursor: UsageError("option '--after': \(self)")
        case .filterTooLarge, .needsDatabase, .invalidLimit: UsageError("option '--where': \(self)")
        default: self
        }
    }
}

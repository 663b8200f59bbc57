import NestedRecords

/// The requested records of an input, their order, and their fields.
struct QueryOptions: Sendable {
    /// The type and the filters.
    private(set) var filter: FilterOptions

    /// The fields to print; nil for all.
    let fields: FieldSelection?

    /// The maximum number of records; nil for all.
    let limit: Int?

    /// The order; empty for the order of the input.
    let order: QueryOrder

    /// The types and fields in the options.
    let names: [FieldCatalog.Name]

    /// The command options for these values.
    static let options: [Command.Option] =
        [
            FilterOptions.filterOption, FieldSelection.option,
            .value(
                "search", as: "TEXT",
                "Only records with this text in their ID, in a name or a value of a field, ignoring case; not in the ID that "
                    + "a reference has."),
            .value("limit", "n", as: "COUNT", "At most this number of records, or of groups."),
            .value(
                "sort", "s", as: "FIELD", kind: .field, isRepeatable: true,
                "Sort by this field, descending with --sort=-FIELD, then by the next field given. Groups are sorted by "
                    + "one of their columns, such as count."),
        ]

    /// Reads the options from the arguments.
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
        var names = filter.names + order.paths.map { .init(types, $0, of: "option '--sort'", needsOneValue: true) }
        let showsIDs = try arguments.showsIDs(of: types, onTerminal: .table)
        fields = try arguments.textIfPresent("fields").map {
            try FieldSelection($0, types: types, showsIDs: showsIDs)
        }
        names += fields?.uses ?? []
        self.names = names
    }

    /// The records of a selection, with all fields.
    init(filter: FilterOptions) {
        self.filter = filter
        (fields, limit) = (nil, nil)
        order = QueryOrder()
        names = filter.names
    }

    /// The types; none for all.
    var types: [String] {
        get { filter.types }
        set { filter.types = newValue }
    }

    /// Whether a record cannot be tested alone: a condition reads other records, or a path may lead to them.
    var needsAllRecords: Bool {
        filter.followsReferences || filter.search != nil || filter.names.contains { $0.path?.names.count ?? 0 > 1 }
            || fields?.paths.contains { $0.names.count > 1 } ?? false
    }

    /// These options with the routes of the paths in the filters.
    ///
    /// - Parameters:
    ///   - input: The input that the records are from.
    ///   - others: Names in other options.
    /// - Throws: `UsageError` for a type or a field that does not occur, and errors of reading.
    func resolved(
        in database: any RecordDatabase, of input: RecordInput, and others: [FieldCatalog.Name] = []
    ) async throws -> QueryOptions {
        var options = self
        options.filter.catalog = try await .checked(names + others, in: database, named: input.name)
        try await options.filter.findRecords(of: try await types(in: database, of: input), in: database)
        return options
    }

    /// The query for the records of a type.
    func query(ofType type: String) throws -> RecordQuery {
        RecordQuery(type, where: try filter.filter(ofType: type), order: order.ofOneType, limit: limit)
    }

    /// Records with only the chosen fields.
    ///
    /// - Parameter database: The database with the records that paths lead to; nil if they lead to none.
    func narrowed(_ records: [Record], in database: (any RecordDatabase)?) async throws -> [Record] {
        try await fields?.narrowed(records, in: database) ?? records
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

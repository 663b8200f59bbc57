import NestedRecords

/// The requested records of an input, their order, and their fields.
struct QueryOptions: Sendable {
    /// The type and the filters.
    private(set) var filter: FilterOptions

    /// The fields to print; nil for all.
    let fields: [String]?

    /// The maximum number of records; nil for all.
    let limit: Int?

    /// The order; empty for the order of the input.
    let order: QueryOrder

    /// The types and fields in the options.
    let names: [NameUse]

    /// The command options for these values.
    static let options: [Command.Option] =
        FilterOptions.options + [
            .value("fields", as: "A,B", kind: .fields, "Only these fields, in this order."),
            .value("limit", "n", as: "COUNT", "At most this number of records."),
            .value(
                "sort", "s", as: "FIELD", kind: .field, isRepeatable: true,
                "Sort by this field, descending with --sort=-FIELD, then by the next field given."),
        ]

    /// Reads the options from the arguments.
    ///
    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments) throws {
        filter = try FilterOptions(arguments)
        limit = try arguments.integerIfPresent("limit", in: 0...Int.max)
        order = try QueryOrder(try arguments.texts("sort"))
        let types = filter.types
        var names = filter.names + order.paths.map { NameUse(types: types, path: $0, in: "sort", needsOneValue: true) }
        if let value = try arguments.textIfPresent("fields") {
            let text = FilterText(value, owner: "option '--fields'")
            let fields = try text.names()
            names += fields.map { name, offset in
                NameUse(types: types, path: FieldPath([name]), in: text, at: offset, isList: true)
            }
            self.fields = fields.map(\.name)
        } else {
            fields = nil
        }
        self.names = names
    }

    /// All records of a type, or of all types.
    init(type: String?) { self.init(filter: FilterOptions(type: type)) }

    /// The records of a selection, with all fields.
    init(filter: FilterOptions) {
        self.filter = filter
        (fields, limit) = (nil, nil)
        order = QueryOrder()
        names = filter.names
    }

    /// The types; none for all.
    var types: [String] { filter.types }

    /// Whether a record cannot be tested alone: a condition reads other records, or a path may lead to them.
    var needsAllRecords: Bool {
        filter.followsReferences || filter.names.contains { $0.path?.names.count ?? 0 > 1 }
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
        return options
    }

    /// The query for the records of a type.
    ///
    /// - Throws: `UsageError`.
    func query(ofType type: String) throws -> RecordQuery {
        RecordQuery(type, where: try filter.filter(ofType: type), order: order.ofOneType, limit: limit)
    }

    /// A record with only the chosen fields, in their order.
    func narrowed(_ record: Record) throws -> Record {
        guard let fields else { return record }
        var narrow = Record.Fields()
        for field in fields {
            if let value = record[field] { narrow[field] = value }
        }
        return try Record(id: record.id, fields: narrow, metadata: record.metadata)
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

import NestedRecords

/// What the user wants of the records of an input: which, in which order, and which of their fields.
struct QueryOptions: Sendable {
    /// The type; nil for all.
    let type: String?

    /// The fields to print; nil for all.
    let fields: [String]?

    /// At most so many records; nil for all.
    let limit: Int?

    /// The order; empty for that of the input.
    let order: QueryOrder

    /// The types and fields that the user named.
    let names: [NameUse]

    /// Whether a condition is about other records than those that are printed.
    let followsReferences: Bool

    private let filters: [FilterText]

    /// The options that it comes from.
    static let options: [Command.Option] = [
        .value("type", "t", as: "TYPE", "Only records of this type."),
        .value("where", "w", as: "FILTER", isRepeatable: true, "Only records for which this holds."),
        .value("fields", as: "A,B", "Only these fields, in this order."),
        .value("limit", "n", as: "COUNT", "At most so many records."),
        .value(
            "sort", "s", as: "FIELD", isRepeatable: true,
            "In the order of this field, downwards with --sort=-FIELD; where it is the same, by the next one."),
    ]

    /// Takes what the user gave.
    ///
    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments) throws {
        let type = try arguments.textIfPresent("type")
        let texts = try arguments.texts("where")
        filters = texts.enumerated().map { position, text in
            let number = texts.count > 1 ? " number \(position + 1)" : ""
            return FilterText(text, owner: "option '--where'\(number)")
        }
        fields = try arguments.textIfPresent("fields")?.split(separator: ",", omittingEmptySubsequences: false).map(
            String.init)
        if fields?.contains("") == true { throw UsageError("option '--fields' has a name without a letter") }
        limit = try arguments.integerIfPresent("limit", in: 0...Int.max)
        order = try QueryOrder(try arguments.texts("sort"))
        let parsed = try filters.map { try FilterParser.parse($0, ofType: type) }
        followsReferences = parsed.contains { $0.filter.followsReferences }
        names =
            (type.map { [NameUse(type: $0, in: "type")] } ?? []) + parsed.flatMap(\.names)
            + order.paths.map { NameUse(type: type, path: $0, in: "sort") }
            + (fields ?? []).map { NameUse(type: type, path: FieldPath([$0]), in: "fields") }
        self.type = type
    }

    /// All records of a type, or of all types.
    init(type: String?) {
        self.type = type
        (fields, limit, filters, followsReferences) = (nil, nil, [], false)
        order = QueryOrder()
        names = type.map { [NameUse(type: $0, in: "type")] } ?? []
    }

    /// The query for the records of a type.
    ///
    /// - Throws: `UsageError`.
    func query(ofType type: String) throws -> RecordQuery {
        RecordQuery(type, where: try filter(ofType: type), order: order.ofOneType, limit: limit)
    }

    /// What must hold of the records of a type; nil for nothing.
    ///
    /// - Throws: `UsageError`.
    func filter(ofType type: String) throws -> RecordFilter? {
        let parts = try filters.map { try FilterParser.parse($0, ofType: type).filter }
        return parts.isEmpty ? nil : .all(parts)
    }

    /// A record with the chosen fields alone, in their order.
    func narrowed(_ record: Record) throws -> Record {
        guard let fields else { return record }
        var narrow = Record.Fields()
        for field in fields {
            if let value = record[field] { narrow[field] = value }
        }
        return try Record(id: record.id, fields: narrow, metadata: record.metadata)
    }
}

extension RecordFilter {
    fileprivate var followsReferences: Bool { terms.contains { if case .refers = $0 { true } else { false } } }
}

extension RecordQueryError {
    /// The error as one of the command line, which the query was made of.
    var asUsageError: UsageError {
        UsageError("option '--\(code == .foreignCursor ? "after" : "where")': \(description)")
    }
}

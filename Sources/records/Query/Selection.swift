import NestedRecords

/// Which records a command prints, and which of their fields.
struct Selection: Sendable {
    /// The type; nil for all.
    let type: String?

    /// The fields to print; nil for all.
    let fields: [String]?

    private let conditions: [Condition]
    private let limit: Int?
    private let order: SortKey?

    /// The options that it comes from.
    static let options: [Command.Option] = [
        .value("type", "t", as: "TYPE", "Only records of this type."),
        .value(
            "where", "w", as: "CONDITION", isRepeatable: true,
            "Only records for which this holds: FIELD=VALUE, or with !=, <, <=, >, >=, or ~ (contains)."),
        .value("fields", as: "A,B", "Only these fields, in this order."),
        .value("limit", "n", as: "COUNT", "At most so many records."),
        .value("sort", "s", as: "FIELD", "In the order of this field; downwards with --sort=-FIELD."),
    ]

    /// Takes what the user gave.
    ///
    /// - Throws: `UsageError`.
    init(_ arguments: ParsedArguments) throws {
        type = try arguments.textIfPresent("type")
        conditions = try arguments.texts("where").map(Condition.init)
        fields = try arguments.textIfPresent("fields")?.split(separator: ",", omittingEmptySubsequences: false).map(
            String.init)
        if fields?.contains("") == true { throw UsageError("option '--fields' has a name without a letter") }
        limit = try arguments.integerIfPresent("limit", in: 0...Int.max)
        order = try arguments.textIfPresent("sort").map(SortKey.init)
    }

    /// Calls the closure with each record of an input that is to be printed.
    ///
    /// Where they are to be ordered, all that fit the conditions are held in memory.
    func forEach(in input: RecordInput, _ body: (Record) throws -> Void) async throws {
        var kept: [Record] = []
        var count = 0
        if limit == 0 { return }
        for try await record in input.records(ofType: type) where conditions.allSatisfy({ $0.holds(for: record) }) {
            if order != nil {
                kept.append(record)
                continue
            }
            try body(try narrowed(record))
            count += 1
            if count == limit { return }
        }
        guard let order else { return }
        for record in order.sorted(kept).prefix(limit ?? .max) { try body(try narrowed(record)) }
    }

    /// The record with the chosen fields alone, in their order.
    private func narrowed(_ record: Record) throws -> Record {
        guard let fields else { return record }
        var narrow = Record.Fields()
        for field in fields {
            if let value = record[field] { narrow[field] = value }
        }
        return try Record(id: record.id, fields: narrow, metadata: record.metadata)
    }
}

import NestedRecords

/// Which records the user wants: those of a type, and those for which filters hold.
struct FilterOptions: Sendable {
    /// The type; nil for all.
    let type: String?

    /// The types and fields that the user named.
    let names: [NameUse]

    /// Whether a condition is about other records than those that are asked for.
    let followsReferences: Bool

    private let filters: [FilterText]

    /// The options that it comes from.
    static let options: [Command.Option] = [
        .value("type", "t", as: "TYPE", "Only records of this type."),
        .value("where", "w", as: "FILTER", isRepeatable: true, "Only records that match this filter."),
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
        let parsed = try filters.map { try FilterParser.parse($0, ofType: type) }
        followsReferences = parsed.contains { $0.filter.followsReferences }
        names = (type.map { [NameUse(type: $0, in: "type")] } ?? []) + parsed.flatMap(\.names)
        self.type = type
    }

    /// All records of a type, or of all types.
    init(type: String?) {
        self.type = type
        (filters, followsReferences) = ([], false)
        names = type.map { [NameUse(type: $0, in: "type")] } ?? []
    }

    /// What must hold of the records of a type; nil for nothing.
    ///
    /// - Throws: `UsageError`.
    func filter(ofType type: String) throws -> RecordFilter? {
        let parts = try filters.map { try FilterParser.parse($0, ofType: type).filter }
        return parts.isEmpty ? nil : .all(parts)
    }

    /// The records of a list that the user wants.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - database: Where references from them lead.
    /// - Throws: `UsageError`, and errors of reading.
    func filtered(_ records: [Record], in database: any RecordDatabase) async throws -> [Record] {
        var matchers: [String: RecordMatcher] = [:]
        var found: [Record] = []
        for record in records {
            let recordType = record.id.type
            guard (type ?? recordType) == recordType else { continue }
            if !filters.isEmpty, matchers[recordType] == nil {
                let filter = try filter(ofType: recordType)
                matchers[recordType] = try RecordMatcher(
                    RecordFilterPart(filter, targets: try await database.targets(of: filter).ids))
            }
            if matchers[recordType]?.holds(for: record) ?? true { found.append(record) }
        }
        return found
    }
}

extension RecordFilter {
    fileprivate var followsReferences: Bool { terms.contains { if case .refers = $0 { true } else { false } } }
}

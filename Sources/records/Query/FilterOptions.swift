import NestedRecords

/// The requested records: by type and filters.
struct FilterOptions: Sendable {
    /// The type; nil for all.
    let type: String?

    /// The types and fields that the user named.
    let names: [NameUse]

    /// Whether a condition reads referenced records.
    let followsReferences: Bool

    private let filters: [FilterText]

    /// The command options for these values.
    static let options: [Command.Option] = [
        .value("type", "t", as: "TYPE", kind: .type, "Only records of this type."),
        .value("where", "w", as: "FILTER", isRepeatable: true, "Only records that match this filter."),
    ]

    /// Reads the options from the arguments.
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

    /// The filter for the records of a type; nil for all.
    ///
    /// - Throws: `UsageError`.
    func filter(ofType type: String) throws -> RecordFilter? {
        let parts = try filters.map { try FilterParser.parse($0, ofType: type).filter }
        return parts.isEmpty ? nil : .all(parts)
    }

    /// The records of a list that match.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - database: The database with the referenced records.
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

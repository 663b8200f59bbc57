@_spi(Engines) import NestedRecords

/// The requested records: by types and filters.
struct FilterOptions: Sendable {
    /// The types; none for all.
    var types: [String]

    /// The types and fields that the user named.
    let names: [FieldCatalog.Name]

    /// Whether a condition reads other records.
    let followsReferences: Bool

    /// Whether records must be read before a condition is a filter.
    private let needsReading: Bool

    /// The conditions in the filters.
    let conditions: [FilterParser.Condition]

    /// Where the paths in the filters lead.
    var catalog = FieldCatalog()

    /// The names of the records that fulfil conditions for which records are read, and by type of those that contain the
    /// text of the search.
    private var referring: [ReadCondition: [Record.Value]] = [:]
    private var found: [String: [Record.Value]] = [:]

    /// The text that records must contain; nil for any.
    var search: String?

    private let filters: [FilterText]

    /// The command option for the filters; the type is the argument TYPE.
    static let filterOption = Command.Option.value(
        "where", "w", as: "FILTER", isRepeatable: true,
        "Only records that match this filter (see 'records help filters')."
    )

    /// Reads the options from the arguments.
    ///
    /// - Parameter types: The types; nil for those of the argument TYPE.
    init(_ arguments: ParsedArguments, types: [String]? = nil) throws {
        let named = try (types ?? arguments.texts("TYPE")).flatMap { value in
            let text = FilterText(value, owner: "TYPE")
            return try text.names().map { FieldCatalog.Name([$0.name], in: text, at: $0.offset, isList: true) }
        }
        let texts = try arguments.texts("where")
        try self.init(
            types: named,
            texts.enumerated().map { position, text in
                let number = texts.count > 1 ? " number \(position + 1)" : ""
                return FilterText(text, owner: "option '--where'\(number)")
            })
    }

    /// The records of some types that match all of some filters.
    init(types named: [FieldCatalog.Name], _ filters: [FilterText]) throws {
        let types = named.flatMap(\.types).uniqued()
        self.filters = filters
        let parsed = try filters.map { try FilterParser.parse($0, ofTypes: types) }
        conditions = parsed.flatMap(\.conditions)
        names = named + parsed.flatMap(\.names)
        needsReading = parsed.contains { !$0.unknown.isEmpty }
        followsReferences = needsReading || parsed.contains { $0.filter.followsReferences }
        self.types = types
    }

    /// The filter for the records of a type; nil for all.
    func filter(ofType type: String) throws -> RecordFilter? {
        let parts = try filters.map { try parsed($0, ofType: type) }
        if let condition = parts.flatMap(\.unknown).first {
            throw UsageError("'\(condition.path.filterText.shortened)': 'matches' and '^' are not possible here")
        }
        var operands = parts.map(\.filter)
        if search != nil { operands.append(.isAny(.recordName, of: found[type] ?? [])) }
        return operands.isEmpty ? nil : .all(operands)
    }

    private func parsed(_ filter: FilterText, ofType type: String) throws -> FilterParser.Parsed {
        try FilterParser.parse(filter, ofTypes: [type], along: catalog, knowing: referring)
    }

    /// Finds the records that fulfil the conditions with patterns or against references, or contain the text of the search, which
    /// ``filter(ofType:)`` needs.
    mutating func findRecords(of types: [String], in database: any RecordDatabase) async throws {
        let search = search.map { TextSearch($0, ignoring: .case) }
        guard needsReading || search != nil else { return }
        for type in types where includes(type: type) {
            if let search {
                for try await record in database.records(ofType: type) where record.contains(search) {
                    found[type, default: []].append(.string(record.id.name))
                }
            }
            for filter in filters {
                for condition in try parsed(filter, ofType: type).unknown {
                    referring[condition] = try await condition.names(in: database)
                }
            }
        }
    }

    /// Whether all records are wanted.
    var isEmpty: Bool { types.isEmpty && filters.isEmpty && search == nil }

    /// Whether records of a type are wanted.
    func includes(type: String) -> Bool { types.isEmpty || types.contains(type) }

    /// The records of a list that match.
    func filtered(_ records: [Record], in database: any RecordDatabase) async throws -> [Record] {
        var options = self
        options.catalog = FieldCatalog(names, in: database)
        for record in records { options.catalog.note(record) }
        try await options.catalog.follow()
        try await options.findRecords(of: records.map(\.id.type).uniqued(), in: database)
        var selector = RecordSelector(options, in: database)
        var found: [Record] = []
        for record in records where try await selector.includes(record) { found.append(record) }
        return found
    }
}

extension Command.Argument {
    /// The types of the records to read.
    static let types = Command.Argument("TYPE", "Only records of this type, or of TYPE,TYPE.", .optional, kind: .type)
}

extension RecordFilter {
    fileprivate var followsReferences: Bool { terms.contains { if case .refers = $0 { true } else { false } } }
}

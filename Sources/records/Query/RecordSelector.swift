@_spi(Engines) import NestedRecords

/// Tells which records some options ask for.
struct RecordSelector {
    let options: FilterOptions

    /// The records that conditions follow references to; nil if none does.
    let database: (any RecordDatabase)?

    private var matchers: [String: RecordMatcher] = [:]

    init(_ options: FilterOptions, in database: (any RecordDatabase)?) {
        (self.options, self.database) = (options, database)
    }

    /// Whether a record is wanted.
    ///
    /// - Throws: `UsageError`, and errors of reading.
    mutating func includes(_ record: Record) async throws -> Bool {
        let type = record.id.type
        guard options.includes(type: type) else { return false }
        if matchers[type] == nil {
            let filter = try options.filter(ofType: type)
            if database == nil { try filter?.checkSize() }
            matchers[type] = try await database?.matcher(for: filter) ?? RecordMatcher(RecordFilterPart(filter))
        }
        return matchers[type]?.holds(for: record) ?? false
    }
}

extension RecordDatabase {
    /// A matcher for the records of one type.
    ///
    /// - Parameter filter: The filter, whose conditions on referenced records are looked up here; nil for all records.
    func matcher(for filter: RecordFilter?) async throws -> RecordMatcher {
        try RecordMatcher(RecordFilterPart(filter, targets: try await targets(of: filter).ids))
    }
}

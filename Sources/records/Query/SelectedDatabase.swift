import NestedRecords

/// The records of a database that match filters.
struct SelectedDatabase: RecordDatabase {
    private let database: any RecordDatabase
    private let options: QueryOptions
    private let input: RecordInput

    /// Checks the types and the fields of a selection.
    ///
    /// - Throws: `UsageError`, and errors of reading.
    init(_ database: any RecordDatabase, _ selection: FilterOptions, of input: RecordInput) async throws {
        (self.database, self.input) = (database, input)
        options = try await QueryOptions(filter: selection).resolved(in: database, of: input)
    }

    var assets: (any AssetStorage)? { database.assets }

    var capabilities: RecordCapabilities { database.capabilities }

    func records(for ids: [Record.ID]) async throws -> [Record] { try await database.records(for: ids) }

    func storedRecords(ofType type: String?) -> RecordSequence {
        RecordSequence { SelectedRecords(records: database.records(ofType: type).makeAsyncIterator(), self) }
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await database.commit(batch)
    }

    private struct SelectedRecords: AsyncIteratorProtocol {
        var records: RecordSequence.Iterator
        let selected: SelectedDatabase
        var matchers: [String: RecordMatcher] = [:]

        init(records: RecordSequence.Iterator, _ selected: SelectedDatabase) {
            (self.records, self.selected) = (records, selected)
        }

        mutating func next() async throws -> Record? {
            while let record = try await records.next() {
                let type = record.id.type
                guard selected.options.filter.includes(type: type) else { continue }
                if matchers[type] == nil {
                    let filter = try selected.options.filter.filter(ofType: type)
                    matchers[type] = try await selected.database.matcher(for: filter)
                }
                if matchers[type]?.holds(for: record) ?? false { return record }
            }
            return nil
        }
    }
}

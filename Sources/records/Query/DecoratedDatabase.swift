import NestedRecords

/// A database whose records come in another way: with other errors, with progress, or only some of them.
struct DecoratedDatabase: RecordDatabase {
    let base: any RecordDatabase

    /// Reads the records of a type; nil for those of the database.
    var list: (@Sendable (RecordSequence) -> RecordSequence)?

    /// Reads records by their IDs; nil for those of the database.
    var fetch: (@Sendable ([Record.ID]) async throws -> [Record])?

    var limits: RecordDatabaseLimits { base.limits }
    var assets: (any AssetStorage)? { base.assets }
    var capabilities: RecordCapabilities { base.capabilities.subtracting(.outcomes) }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        if let fetch { try await fetch(ids) } else { try await base.records(for: ids) }
    }

    func storedRecords(ofType type: String?) -> RecordSequence {
        let records = base.storedRecords(ofType: type)
        return list?(records) ?? records
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }
}

extension RecordDatabase {
    /// The database with the name of an input in errors of reading.
    func naming(_ input: RecordInput) -> DecoratedDatabase {
        DecoratedDatabase(
            base: self, list: { input.naming($0) },
            fetch: { ids in try await input.naming { try await records(for: ids) } })
    }

    /// The database with a progress bar for each pass over its records.
    func showing(_ bar: @escaping @Sendable () -> ProgressBar) -> DecoratedDatabase {
        DecoratedDatabase(
            base: self,
            list: { records in
                RecordSequence { CountedRecords(records: records.makeAsyncIterator(), progress: bar()) }
            })
    }

    /// The database with only the records of a selection in its lists, and none that the library keeps for itself.
    ///
    /// The state of a synchronization is about all records: with a part of them, the others would count as deleted.
    ///
    /// - Throws: `UsageError` for a type or a field that does not occur, and errors of reading.
    func selecting(_ selection: FilterOptions, of input: RecordInput) async throws -> DecoratedDatabase {
        let filter = try await QueryOptions(filter: selection).resolved(in: self, of: input).filter
        return DecoratedDatabase(
            base: self,
            list: { records in
                RecordSequence {
                    SelectedRecords(records: records.makeAsyncIterator(), selector: RecordSelector(filter, in: self))
                }
            })
    }

    /// The database with one more record.
    func adding(_ record: Record) -> DecoratedDatabase {
        DecoratedDatabase(
            base: self,
            fetch: { ids in
                guard ids.contains(record.id) else { return try await records(for: ids) }
                let others = ids.filter { $0 != record.id }
                return [record] + (others.isEmpty ? [] : try await records(for: others))
            })
    }
}

private struct SelectedRecords: AsyncIteratorProtocol {
    var records: RecordSequence.Iterator
    var selector: RecordSelector

    mutating func next() async throws -> Record? {
        while let record = try await records.next() {
            if !record.id.isReserved, try await selector.includes(record) { return record }
        }
        return nil
    }
}

private struct CountedRecords: AsyncIteratorProtocol {
    var records: RecordSequence.Iterator
    let progress: ProgressBar

    mutating func next() async throws -> Record? {
        let record = try await records.next()
        if record != nil { progress.advance() }
        return record
    }
}

import NestedRecords

/// A database that counts records while it lists them, to show progress.
struct ObservedDatabase: RecordDatabase {
    /// The wrapped database.
    let database: any RecordDatabase

    /// Makes the progress bar of one pass over the records.
    let bar: @Sendable () -> ProgressBar

    var limits: RecordDatabaseLimits { database.limits }
    var assets: (any AssetStorage)? { database.assets }

    var capabilities: RecordCapabilities { database.capabilities }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try await database.records(for: ids)
    }

    func storedRecords(ofType type: String?) -> RecordSequence {
        let records = database.storedRecords(ofType: type)
        return RecordSequence { ObservedRecords(records: records.makeAsyncIterator(), progress: bar()) }
    }

    private struct ObservedRecords: AsyncIteratorProtocol {
        var records: RecordSequence.Iterator
        let progress: ProgressBar

        mutating func next() async throws -> Record? {
            let record = try await records.next()
            if record != nil { progress.advance() }
            return record
        }
    }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await database.commit(batch)
    }
}

import NestedRecords

/// A database that adds the name of the input to errors.
struct NamedDatabase: RecordDatabase {
    /// The wrapped database.
    let database: any RecordDatabase

    /// The input that errors name.
    let input: RecordInput

    var limits: RecordDatabaseLimits { database.limits }
    var assets: (any AssetStorage)? { database.assets }

    var capabilities: RecordCapabilities { database.capabilities }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try await input.naming { try await database.records(for: ids) }
    }

    func storedRecords(ofType type: String?) -> RecordSequence { input.naming(database.storedRecords(ofType: type)) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await input.naming {
            try await database.commit(batch)
        }
    }
}

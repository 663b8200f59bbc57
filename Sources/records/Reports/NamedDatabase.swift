import NestedRecords

/// The records of an input as a database whose errors name the input.
struct NamedDatabase: RecordDatabase {
    /// The database that does the work.
    let database: any RecordDatabase

    /// What to name.
    let input: RecordInput

    var batchLimit: Int { database.batchLimit }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        try await input.naming { try await database.records(for: ids) }
    }

    func records(ofType type: String?) -> RecordSequence { input.naming(database.records(ofType: type)) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await input.naming {
            try await database.commit(batch)
        }
    }
}

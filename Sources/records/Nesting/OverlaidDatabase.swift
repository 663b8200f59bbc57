import NestedRecords

/// A database with one more record.
struct OverlaidDatabase: RecordDatabase {
    let base: any RecordDatabase
    let record: Record

    var limits: RecordDatabaseLimits { base.limits }
    var assets: (any AssetStorage)? { base.assets }

    var capabilities: RecordCapabilities { base.capabilities }

    func records(for ids: [Record.ID]) async throws -> [Record] {
        guard ids.contains(record.id) else { return try await base.records(for: ids) }
        let others = ids.filter { $0 != record.id }
        return [record] + (others.isEmpty ? [] : try await base.records(for: others))
    }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }
}

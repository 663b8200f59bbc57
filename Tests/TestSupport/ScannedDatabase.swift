package import NestedRecords

/// A database that answers with all records of another one, so that queries are answered by the library's defaults.
package struct ScannedDatabase: RecordDatabase {
    package let base: any RecordDatabase

    package init(_ base: some RecordDatabase) { self.base = base }

    package var capabilities: RecordCapabilities { base.capabilities }

    package func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    package func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try await base.commit(batch)
    }

    package func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}

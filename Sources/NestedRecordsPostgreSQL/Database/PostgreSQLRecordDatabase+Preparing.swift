#if PostgreSQL
import Foundation
import NestedRecords

extension PostgreSQLRecordDatabase {
    /// Makes the schema, the tables and the declared indexes that are not there, and forgets old deletions.
    ///
    /// It may be called by several processes at once, and as often as one likes. Where everything is there, it changes
    /// nothing and needs no right to do so. Saves wait while an index is made; then the keys of the records that are there
    /// are added to it, while saves go on. Tables that were restored from a dump of another server get a new identity:
    /// tokens of before are refused.
    ///
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func prepare() async throws {
        var catalog = try await preparedCatalog()
        let missing = catalog.missing(of: options.indexes)
        if !missing.isEmpty {
            for index in missing where catalog.slot(of: index) == nil {
                try await execute(tables.registration(of: StoredIndex(index)))
            }
            catalog = try await readCatalog()
            for index in missing {
                guard let slot = catalog.slot(of: index) else { continue }
                try await execute([tables.indexCreation(slot: slot)])
                try await addKeys(ofType: index.recordType, catalog)
                try await execute([tables.indexCompletion(slot: slot)])
            }
            _ = try await readCatalog()
        }
        guard let age = options.historyAge else { return }
        do {
            if try await hasHistory(olderThan: age) { try await purgeHistory(olderThan: age) }
        } catch let refusal as RecordDatabaseError where refusal.forbidsWriting {
            // Those who may write forget it.
        }
    }

    /// Forgets which records were deleted longer ago.
    ///
    /// Tokens of before are refused then.
    ///
    /// - Parameter age: For how long to remember.
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func purgeHistory(olderThan age: Duration) async throws {
        try await execute(tables.purge(secondsAgo: min(age.inSeconds, Self.longestAge)))
    }

    /// In seconds; a thousand years, which is more than any history has.
    private static var longestAge: Double { 31_556_952_000 }

    private func hasHistory(olderThan age: Duration) async throws -> Bool {
        try await read(tables.hasHistory(secondsAgo: min(age.inSeconds, Self.longestAge))).bool(0, 0) == true
    }

    /// What there is, once there are tables of this server.
    private func preparedCatalog() async throws -> Catalog {
        do {
            return try await readCatalog()
        } catch RecordDatabaseError.Code.notPrepared {
            let storeID = UUID().uuidString
            try await execute(
                tables.creation(storeID: storeID)
                    + tables.adoption(storeID: storeID, token: .random(in: 1 ... .max)))
            return try await readCatalog()
        }
    }

    /// Adds the keys of the records of a type that may have been saved by those who did not know all indexes.
    private func addKeys(ofType type: String, _ catalog: Catalog) async throws {
        var pages = RecordPages(of: self, .type(type))
        while let records = try await pages.next() {
            try await execute([tables.keyUpdate(records.map { ($0, catalog.keys(of: $0)) })])
        }
    }

    private func execute(_ statements: [Statement]) async throws {
        let block = Tables.block([tables.lock] + statements)
        _ = try await reportingMissingTables { try await pool.execute(block, isRepeatable: true) }
    }
}
#endif

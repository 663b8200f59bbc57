#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

extension PostgreSQLRecordDatabase {
    /// Makes the schema, the tables and the declared indexes that are missing, the entries of audiences and the JSON for SQL
    /// that records lack, and forgets old deletions.
    ///
    /// Several processes may call it at once, and repeatedly. If nothing is missing, it changes nothing and needs no
    /// right to do so. Saves wait while an index is made; then the keys of the existing records are added to it, while
    /// saves continue. Tables that were restored from a dump of another server get a new identity: earlier tokens are
    /// refused.
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
                try await addKeys(of: index, slot: slot)
                try await execute([tables.indexCompletion(slot: slot)])
            }
            _ = try await readCatalog()
        }
        for (type, audience) in catalog.audiences where audience.since == nil {
            try await completeAudience(ofType: type)
        }
        if options.writesFieldsForSQL, catalog.lacksFields { try await addMissingFields() }
        guard let age = options.historyAge else { return }
        do {
            try await purgeHistory(olderThan: age)
        } catch let refusal as RecordDatabaseError where refusal.forbidsWriting {
            // A process with the right to write forgets the history.
        }
    }

    /// Forgets deletions that are older than an age.
    ///
    /// Tokens from before them are refused then.
    ///
    /// - Parameter age: The time for which deletions are remembered.
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func purgeHistory(olderThan age: Duration) async throws {
        try await execute(tables.purge(secondsAgo: min(age.inSeconds, Self.longestAge)))
    }

    /// In seconds; a thousand years, longer than any history.
    private static var longestAge: Double { 31_556_952_000 }

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

    func addKeys(of index: FieldIndex, slot: Int) async throws {
        var pages = RecordPages(of: self, .type(index.recordType))
        while let records = try await pages.next() {
            try await execute([tables.keyUpdate(slot: slot, records.map { ($0, index.key(of: $0).text) })])
        }
    }

    /// Writes the JSON of records that lack it; of damaged records it stays missing.
    private func addMissingFields() async throws {
        var pages = RecordPages(of: self, .withoutFields)
        while var rows = try await pages.nextRows() {
            let records = (0..<rows.count).compactMap { try? rows.record($0) }
            do {
                try await execute([tables.fieldsUpdate(records)])
            } catch let refusal as RecordDatabaseError where refusal.forbidsWriting {
                // A process with the right to write adds them.
                return
            }
        }
    }

    /// Executes statements that may be repeated, as one transaction.
    func execute(_ statements: [Statement]) async throws {
        let block = Tables.block([tables.lock] + statements)
        for attempt in 1... {
            do {
                _ = try await reportingMissingTables { try await pool.execute(block, isRepeatable: true) }
                return
            } catch let failure as RecordDatabaseError {
                // A save locks its rows in another order than the server updates them here.
                guard failure.isSerializationFailure, attempt < Self.mostAttempts else { throw failure }
            }
        }
    }
}
#endif

extension RecordDatabase {
    /// Migrates records that earlier versions of their types have stored.
    ///
    /// Nothing is changed if a record cannot be changed, or if two records would get the same ID: the report lists these
    /// records. A record whose type changes is first saved under its new ID, then the references to it are changed, then
    /// it is deleted under its former ID, so that no reference ever dangles.
    ///
    /// An interrupted migration can be repeated: records that are up to date stay unchanged.
    @discardableResult
    package func migrate(
        _ migration: RecordMigration, batchSize: Int = 1_000, isDryRun: Bool = false,
        progress: (@Sendable (MigrationReport) -> Void)? = nil
    ) async throws -> MigrationReport {
        try migration.check()
        var run = MigrationRun(
            migration: migration, database: self, limit: Swift.max(1, Swift.min(batchSize, batchLimit)),
            progress: progress, report: MigrationReport(isDryRun: isDryRun))
        try await run.examine()
        if run.report.failures.isEmpty {
            if !run.movers.isEmpty, !isDryRun {
                try require(.versionedDeletions, for: "a migration that renames records")
            }
            if isDryRun { run.notePreview() } else { try await run.apply() }
        }
        return run.report
    }
}

private struct MigrationRun<Database: RecordDatabase> {
    let migration: RecordMigration
    let database: Database
    let limit: Int
    let progress: (@Sendable (MigrationReport) -> Void)?
    var report: MigrationReport
    var movers: [Record.ID] = []
    var changed: [Record.ID] = []
    var versions: [Record.ID: RecordBatch.Version] = [:]
}

// MARK: Finding the work

extension MigrationRun {
    mutating func examine() async throws {
        var former: [Record.ID: [Record.ID]] = [:]
        try Task.checkCancellation()
        for try await record in database.storedRecords(ofType: nil) {
            try Task.checkCancellation()
            report.examinedCount += 1
            do {
                let isChanged = try migration.migrated(record) != nil
                if let newID = migration.newID(of: record.id) {
                    movers.append(record.id)
                    former[newID, default: []].append(record.id)
                } else if isChanged {
                    changed.append(record.id)
                }
            } catch {
                report.failures.append((record.id, "\(error)"))
            }
        }
        for (newID, ids) in former.sorted(by: { $0.key < $1.key }) where ids.count > 1 {
            let names = ids.map(\.description).sorted().joined(separator: ", ")
            let reason = "these records would all become \(newID), delete or rename all but one: \(names)"
            report.failures += ids.map { ($0, reason) }
        }
        for batch in movers.batches(of: limit) {
            for (record, _, copy) in try await read(batch) {
                guard let copy, try !isCopy(copy, of: record) else { continue }
                report.failures.append((record.id, "another record \(copy.id) exists: delete one of the two"))
            }
        }
        progress?(report)
    }

    mutating func notePreview() {
        report.movedCount = movers.count
        report.rewrittenCount = movers.count + changed.count
    }

    private func read(
        _ ids: ArraySlice<Record.ID>
    ) async throws -> [(record: Record, newID: Record.ID, copy: Record?)] {
        var found: [Record.ID: Record] = [:]
        let all = IDInterner(ids.flatMap { [$0, migration.newID(of: $0) ?? $0] })
        for record in try await database.presentRecords(for: Array(all.ids)) {
            found[record.id] = record
        }
        return ids.compactMap { id in
            guard let record = found[id], let newID = migration.newID(of: id) else { return nil }
            return (record, newID, found[newID])
        }
    }

    private func isCopy(_ copy: Record, of record: Record) throws -> Bool {
        let (left, right) = (try migration.migrated(copy) ?? copy, try migration.migrated(record) ?? record)
        return left.fields.changes(from: right.fields).isEmpty
    }
}

// MARK: Changing the records

extension MigrationRun {
    mutating func apply() async throws {
        let migration = migration
        // The copies keep their references to records that are not copied yet.
        for batch in movers.batches(of: limit) {
            try await copy(batch)
            report.rewrittenCount += batch.count
            report.movedCount += batch.count
            progress?(report)
        }
        for batch in changed.batches(of: limit) {
            report.rewrittenCount += try await rewrite(batch) { try migration.migrated($0) }
            progress?(report)
        }
        // The former records too, so that they do not dangle while others are deleted.
        for batch in (movers + movers.compactMap { migration.newID(of: $0) }).batches(of: limit) {
            _ = try await rewrite(batch) { migration.withNewReferences($0) }
        }
        for batch in movers.batches(of: deletionLimit) {
            try Task.checkCancellation()
            try await RetryBudget.shared(database.retryPolicy) { try await delete(batch) }
            progress?(report)
        }
    }

    /// A database without an index of references reads all records for each batch of deletions, which are only IDs.
    private var deletionLimit: Int { Swift.max(1, Swift.min(Swift.max(limit, 100_000), database.batchLimit)) }

    /// Deletes former records, once no record refers to them: a reference that another writer has saved since the others
    /// were changed is changed too.
    private mutating func delete(_ ids: ArraySlice<Record.ID>) async throws {
        var attempt = 1
        while true {
            var batch = RecordBatch()
            batch.deletions = ids.compactMap { id in versions[id].map { RecordBatch.VersionedID(id, version: $0) } }
            if database.capabilities.contains(.referrerConditions) {
                for deletion in batch.deletions { batch.allowedReferrers[deletion.id] = [] }
            }
            do {
                try await database.commit(batch)
                return
            } catch let error as RecordDatabaseError
                where error.isNewReference && attempt < database.retryPolicy.attempts && RetryBudget.takeAttempt()
            {
                attempt += 1
                let holders = IDInterner(error.references.compactMap(\.context.record)).ids
                let migration = migration
                for part in Array(holders).batches(of: limit) {
                    report.rewrittenCount += try await rewrite(part) { try migration.migrated($0) }
                }
            }
        }
    }

    private mutating func copy(_ ids: ArraySlice<Record.ID>) async throws {
        var saves: [Record] = []
        for (record, newID, copy) in try await read(ids) {
            versions[record.id] = RecordBatch.VersionedID(removing: record).version
            let new = Record(id: newID, checkedFields: try migration.fieldsMigrated(record).fields)
            guard let copy else {
                saves.append(new)
                continue
            }
            guard try isCopy(copy, of: record) else {
                throw RecordDatabaseError(.conflict, .versions(client: new, server: copy))
            }
        }
        if !saves.isEmpty { try await database.commit(RecordBatch(saving: saves)) }
    }

    /// Changes records and returns their number; a record that another writer changes is read again.
    private mutating func rewrite(
        _ ids: ArraySlice<Record.ID>, _ change: (Record) throws -> Record?
    ) async throws -> Int {
        try await RetryBudget.shared(database.retryPolicy) { try await tryRewriting(ids, change) }
    }

    private mutating func tryRewriting(
        _ ids: ArraySlice<Record.ID>, _ change: (Record) throws -> Record?
    ) async throws -> Int {
        var attempt = 1
        while true {
            var saves: [Record] = []
            for record in try await database.presentRecords(for: Array(ids)) {
                // A change after the copy would be lost.
                try versions[record.id]?.check(record.id, stored: record)
                if let record = try change(record) { saves.append(record) }
            }
            if saves.isEmpty { return 0 }
            do {
                for (id, metadata) in try await database.commit(RecordBatch(saving: saves)) where versions[id] != nil {
                    versions[id] = .changeTag(metadata.changeTag)
                }
                return saves.count
            } catch let error as RecordDatabaseError
                where error.isOvertaken && attempt < database.retryPolicy.attempts && RetryBudget.takeAttempt()
            {
                attempt += 1
            }
        }
    }
}

/// Records to save and to delete: in one batch, or in several where there are more than a database takes at a time.
struct BatchedSave: Sendable {
    /// The records to save, targets before the records that point to them.
    private(set) var records: [Record]

    /// The records to delete once the others are saved, those that point before their targets.
    private(set) var deletions: [RecordBatch.Deletion]

    let savePolicy: SavePolicy

    /// What must hold of other records when the first batch is applied.
    ///
    /// Those that a batch has no room for are looked at just before.
    var conditions: [RecordBatch.Condition] = []

    /// The new metadata of the records that were saved.
    private(set) var saved: [Record.ID: Record.Metadata] = [:]

    /// The records that are sent in place of those that were given.
    private var merged: Set<Record.ID> = []

    /// The records to delete that were gone already.
    private var missing: Set<Record.ID> = []

    /// The positions of the records by their IDs, computed on first use.
    private var positions: [Record.ID: Int] = [:]

    /// How many records and deletions the batches that went through had.
    private var done = 0

    init(records: [Record], deletions: [RecordBatch.Deletion] = [], savePolicy: SavePolicy) {
        self.records = records
        self.deletions = deletions
        self.savePolicy = savePolicy
    }

    /// Sends what has not been sent yet.
    ///
    /// - Throws: What the database throws: as it is while nothing is saved, else within
    ///   ``RecordDatabaseError/partiallySaved(_:underlyingError:)``.
    mutating func send(to database: some RecordDatabase) async throws {
        do {
            try await sendBatches(to: database)
        } catch {
            throw placed(error)
        }
    }

    /// Sends everything, where the deletions are what matters.
    ///
    /// - Throws: What the database throws: as it is while nothing is done, else within
    ///   ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``.
    consuming func delete(in database: some RecordDatabase) async throws {
        var save = self
        do {
            try await save.sendBatches(to: database)
        } catch  where save.done > 0 {
            let deleted = save.deletions.prefix(max(0, save.done - save.records.count)).map(\.id)
            throw RecordDatabaseError.partiallyDeleted(deleted, underlyingError: error)
        }
    }

    /// Sends what has not been sent yet, and throws what the database throws.
    mutating func sendBatches(to database: some RecordDatabase) async throws {
        var conditions = try await conditionsOfFirstBatch(in: database)
        while done < records.count + deletions.count {
            let end = done + max(1, min(database.batchLimit, records.count + deletions.count - done))
            var batch = RecordBatch(
                saving: Array(records[min(done, records.count)..<min(end, records.count)]), savePolicy: savePolicy)
            batch.deletions = Array(deletions[max(0, done - records.count)..<max(0, end - records.count)])
            batch.conditions = conditions
            do {
                saved.merge(try await database.commit(batch)) { $1 }
                done = end
                conditions = []
            } catch let error as RecordDatabaseError where error.isDeletionOfMissing {
                // Another writer was faster, and did the same.
                guard let position = deletions.firstIndex(where: { $0.id == error.recordID }) else { throw error }
                missing.insert(deletions.remove(at: position).id)
            }
        }
    }

    /// The conditions of the first batch, if it has room for them; otherwise they are looked at.
    private func conditionsOfFirstBatch(in database: some RecordDatabase) async throws -> [RecordBatch.Condition] {
        guard done == 0, !conditions.isEmpty, !isEmpty else { return [] }
        if conditions.count <= database.batchLimit - records.count - deletions.count { return conditions }
        var rest = conditions[...]
        while !rest.isEmpty {
            var batch = RecordBatch()
            batch.conditions = Array(rest.prefix(max(1, database.batchLimit)))
            rest = rest.dropFirst(batch.count)
            try await database.commit(batch)
        }
        return []
    }

    /// The records that were saved as they were given, in the form in which the database holds them.
    ///
    /// What was merged is not what the caller has in hand: with its version the next save would undo the other
    /// writer's change.
    var savedRecords: [Record] {
        records.compactMap { record in
            merged.contains(record.id) ? nil : saved[record.id].map { record.saved(as: $0) }
        }
    }

    /// The records that were deleted, by this save or before.
    var deletedIDs: Set<Record.ID> { missing.union(deletions.prefix(max(0, done - records.count)).map(\.id)) }

    /// Whether there is nothing to save or to delete.
    var isEmpty: Bool { records.isEmpty && deletions.isEmpty }

    /// The records to delete that were not deleted yet.
    var openDeletions: [RecordBatch.Deletion] { Array(deletions.dropFirst(max(0, done - records.count))) }

    /// The error, with what is saved already as it was given.
    func placed(_ error: any Error) -> any Error {
        guard done > 0 else { return error }
        return RecordDatabaseError.partiallySaved(
            saved.filter { !merged.contains($0.key) }, underlyingError: error)
    }
}

extension BatchedSave {
    /// The records that are not saved yet.
    var unsaved: ArraySlice<Record> { records.dropFirst(done) }

    /// The position of a record that is not saved yet.
    mutating func position(ofUnsaved id: Record.ID) -> Int? {
        if positions.isEmpty {
            positions = Dictionary(zip(records.map(\.id), records.indices), uniquingKeysWith: { first, _ in first })
        }
        return positions[id].flatMap { $0 >= done ? $0 : nil }
    }

    /// Sends another record instead of the one at a position.
    mutating func replace(at position: Int, with record: Record) {
        records[position] = record
        merged.insert(record.id)
    }

    /// Does not delete what another writer's record leads to, so that the value can still be read.
    ///
    /// Behind links only the records that this save would delete are looked at.
    ///
    /// - Parameters:
    ///   - record: The record that stays in the database, or is saved after a merge.
    ///   - known: The record that was to be saved: what it refers to leads to no record to delete.
    ///   - database: The database.
    mutating func keepTargets(
        of record: Record, besidesThoseOf known: Record, in database: some RecordDatabase
    ) async throws {
        var seen = Set(known.references.map(\.id))
        var references = record.references
        while !deletions.isEmpty, !references.isEmpty {
            let doomed = Set(deletions.map(\.id))
            let ids = references.filter { !$0.isLink || doomed.contains($0.id) }.map(\.id).filter {
                seen.insert($0).inserted
            }
            let kept = Set(ids)
            deletions.removeAll { kept.contains($0.id) }
            references = try await database.presentRecords(for: ids).flatMap(\.references)
        }
    }

    /// Does not send the records of which the closure says so, unless they are saved already.
    mutating func leaveOut(where isLeftOut: (Record.ID) -> Bool) {
        records = records[..<min(done, records.count)] + unsaved.filter { !isLeftOut($0.id) }
        positions = [:]
    }
}

extension RecordDatabaseError {
    /// Whether a record was to be deleted in a certain version, and is not there.
    fileprivate var isDeletionOfMissing: Bool { code == .versionMismatch && serverRecord == nil }
}

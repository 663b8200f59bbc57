/// Records to save and to delete, in as many batches as the database's limit requires.
struct BatchedSave: Sendable {
    private(set) var records: [Record]

    /// The records to delete after the saves, sources before targets.
    private(set) var deletions: [RecordBatch.VersionedID]

    let savePolicy: SavePolicy

    /// The versions of other records that are required when the first batch is applied.
    ///
    /// If the batch has no room for the conditions, they are checked just before.
    var conditions: [RecordBatch.VersionedID] = []

    /// The records that may refer to each record to delete; nil if any may.
    ///
    /// A record that is deleted in a later batch may refer to one of an earlier batch.
    var allowedReferrers: [Record.ID: Set<Record.ID>]?

    /// Whether records outside a scope may refer to the records to delete.
    var allowsOutsideReferences = false

    /// The fields with unique values; nil without any.
    var uniqueFields: UniqueFields?

    /// The records in the versions that are replaced, as far as they are known.
    var known: ResolvedRecords?

    /// Whether the targets of new links must exist when their batch is applied.
    var requiresLinkTargets = false

    /// The versions of other records that the value to save was read with.
    ///
    /// They are not required: ``isAsExpected`` says whether the database held them when everything was saved in one batch.
    var expected: [RecordBatch.VersionedID] = []
    private(set) var isAsExpected = false
    private(set) var saved: [Record.ID: Record.Metadata] = [:]
    private var merged: Set<Record.ID> = []
    private var missing: Set<Record.ID> = []

    /// The positions of the records by their IDs, computed on first use.
    private var positions: [Record.ID: Int] = [:]

    private var done = 0

    init(records: [Record], deletions: [RecordBatch.VersionedID] = [], savePolicy: SavePolicy) {
        self.records = records
        self.deletions = deletions
        self.savePolicy = savePolicy
    }

    /// Applies the batches that were not applied yet.
    ///
    /// - Throws: Errors of the database: unchanged if nothing is saved, otherwise within
    ///   `RecordDatabaseError.Code.partiallySaved`.
    mutating func send(to database: some RecordDatabase) async throws {
        do {
            try await sendBatches(to: database)
        } catch {
            throw placed(error)
        }
    }

    /// Applies all batches, for a call whose purpose is the deletion.
    ///
    /// - Throws: Errors of the database: unchanged if nothing is done, otherwise within
    ///   `RecordDatabaseError.Code.partiallyDeleted`.
    consuming func delete(in database: some RecordDatabase) async throws {
        var save = self
        do {
            try await save.sendBatches(to: database)
        } catch  where save.done > 0 {
            let deleted = save.deletions.prefix(max(0, save.done - save.records.count)).map(\.id)
            throw RecordDatabaseError(.partiallyDeleted, .deleted(deleted), underlyingError: error)
        }
    }

    /// Applies the batches that were not applied yet, and throws the database's errors unchanged.
    mutating func sendBatches(to database: some RecordDatabase) async throws {
        // Only the targets of links lead to another attempt.
        guard requiresLinkTargets else { return try await trySendingBatches(to: database) }
        try await RetryBudget.shared(database.retryPolicy) { try await trySendingBatches(to: database) }
    }

    private mutating func trySendingBatches(to database: some RecordDatabase) async throws {
        try checkCapabilities(of: database)
        var conditions = try await conditionsOfFirstBatch(in: database)
        var attempt = 1
        while done < records.count + deletions.count {
            let (end, claims) = try nextBatch(in: database)
            var batch = RecordBatch(
                saving: Array(records[min(done, records.count)..<min(end, records.count)]), savePolicy: savePolicy)
            batch.deletions = Array(deletions[max(0, done - records.count)..<max(0, end - records.count)])
            batch.conditions = conditions
            addReferrers(to: &batch, doneUpTo: end)
            try batch.add(claims)
            let isOnly = done == 0 && end == records.count + deletions.count
            let room = database.batchLimit - claims.count
            let canExpect = isOnly && batch.count + self.expected.count <= room
            let expected =
                canExpect && database.capabilities.isSuperset(of: [.conditions, .versionLists]) ? self.expected : []
            // Appending copies an array of which another reference exists, even if nothing is appended.
            batch.conditions = batch.conditions.isEmpty ? expected : batch.conditions + expected
            let targets = try await linkTargets(of: batch, in: database)
            if !targets.isEmpty { batch.conditions += targets }
            if !expected.isEmpty, batch.count > room {
                self.expected = []
                continue
            }
            do {
                let versions =
                    claims.isEmpty ? try await database.commit(batch) : try await batch.commitClaiming(in: database)
                TransactionWrites.current?.note(versions, deleted: batch.deletions.map(\.id))
                // Merging would hash every ID again, though there is mostly one batch.
                if saved.isEmpty { saved = versions } else { saved.merge(versions) { $1 } }
                isAsExpected = isOnly && !(conditions.isEmpty && expected.isEmpty)
                done = end
                conditions = []
            } catch let error as RecordDatabaseError
                where error.code == .versionMismatch && attempt < database.retryPolicy.attempts
                && targets.contains(where: { $0.id == error.recordID }) && RetryBudget.takeAttempt()
            {
                // The target of a link has changed since it was read, but it may still exist.
                attempt += 1
                try await RetryPause().wait(beforeAttempt: attempt)
            } catch let error as RecordDatabaseError
                where error.code == .versionMismatch && expected.contains(where: { $0.id == error.recordID })
            {
                self.expected = []
            } catch let error as RecordDatabaseError where error.isDeletionOfMissing {
                // Another writer has deleted the record already.
                guard let position = deletions.firstIndex(where: { $0.id == error.recordID }) else { throw error }
                missing.insert(deletions.remove(at: position).id)
            }
        }
    }

    /// Throws before the first batch if one of the batches needs more than the database can do.
    private func checkCapabilities(of database: some RecordDatabase) throws {
        if done > 0 || database.capabilities.isSuperset(of: .all) { return }
        var needed: RecordCapabilities = requiresLinkTargets && records.contains(where: \.hasLinks) ? .conditions : []
        for condition in conditions { needed.formUnion(condition.version.capabilityForCondition) }
        if deletions.contains(where: { $0.version != .any }) { needed.insert(.versionedDeletions) }
        if !deletions.isEmpty, allowedReferrers != nil { needed.insert(.referrerConditions) }
        if try records.contains(where: { try !claims(of: $0).isEmpty }) {
            needed.formUnion([.atomicBatches, .conditions, .missingConditions])
        }
        try database.require(needed, for: "the save")
    }

    private func addReferrers(to batch: inout RecordBatch, doneUpTo end: Int) {
        guard let allowedReferrers, !batch.deletions.isEmpty else { return }
        let later = Set(deletions.dropFirst(max(0, end - records.count)).map(\.id))
        let planned = Set(deletions.map(\.id))
        for deletion in batch.deletions {
            // A record that an earlier batch has deleted may have been saved again.
            batch.allowedReferrers[deletion.id] = (allowedReferrers[deletion.id] ?? []).filter {
                later.contains($0) || !planned.contains($0)
            }
            if allowsOutsideReferences { batch.allowedOutside.insert(deletion.id) }
        }
    }

    /// The end of the next batch, and the claims of its records, which are saved in the same batch.
    ///
    /// A claim may need another place for the condition that its former owner is unchanged.
    private func nextBatch(in database: some RecordDatabase) throws -> (end: Int, claims: [UniqueClaim]) {
        let (all, limits, limit) = (records.count + deletions.count, database.limits, database.batchLimit)
        guard uniqueFields != nil || limits.batchBytes < .max else {
            return (done + max(1, min(limit, all - done)), [])
        }
        var (end, room, bytes, claims) = (done, limit, limits.batchBytes, [UniqueClaim]())
        while end < all {
            let added = end < records.count ? try self.claims(of: records[end]) : []
            room -= 1 + 2 * added.count
            if limits.batchBytes < .max, end < records.count {
                bytes -= ([records[end]] + added.map(\.record)).reduce(0) { $0 + limits.recordSize($1) }
            }
            if room < 0 || bytes < 0, end > done { break }
            claims += added
            end += 1
        }
        return (end, claims)
    }

    private func claims(of record: Record) throws -> [UniqueClaim] {
        guard let uniqueFields else { return [] }
        let known = known?[record.id]
        let isReplaced = savePolicy == .ifUnchanged && record.metadata != nil && known?.metadata == record.metadata
        return try uniqueFields.claims(of: record, replacing: isReplaced ? known : nil)
    }

    /// The conditions that the targets of new links exist.
    ///
    /// - Throws: ``RecordError`` with the code `missingLinkTarget`; errors of the database.
    private func linkTargets(
        of batch: RecordBatch, in database: some RecordDatabase
    ) async throws -> [RecordBatch.VersionedID] {
        guard requiresLinkTargets else { return [] }
        let deleted = Set(deletions.map(\.id))
        let named = Set(records.map(\.id) + batch.conditions.map(\.id)).subtracting(deleted)
        var places: [Record.ID: RecordContext] = [:]
        for record in batch.saves {
            let known = Set(known?[record.id]?.references.map(\.id) ?? [])
            var walk = ReferenceWalk(record.fields)
            while let reference = walk.next() {
                guard reference.isLink, walk.asset == nil, !known.contains(reference.id), !named.contains(reference.id)
                else { continue }
                places[reference.id] = places[reference.id] ?? RecordContext(record.id, walk)
            }
        }
        let found = try await database.presentRecords(for: places.keys.sorted())
        for record in found where !deleted.contains(record.id) { places[record.id] = nil }
        if let (target, place) = places.min(by: { $0.key < $1.key }) {
            throw RecordError(.missingLinkTarget, recordID: target, context: place)
        }
        return found.map { RecordBatch.VersionedID($0.id, version: RecordBatch.Version(of: $0)) }
    }

    private func conditionsOfFirstBatch(in database: some RecordDatabase) async throws -> [RecordBatch.VersionedID] {
        guard done == 0, !conditions.isEmpty, !isEmpty else { return [] }
        let claimCount = try records.reduce(0) { try $0 + claims(of: $1).count }
        if conditions.count <= database.batchLimit - records.count - deletions.count - 2 * claimCount {
            return conditions
        }
        var rest = conditions[...]
        while !rest.isEmpty {
            var batch = RecordBatch()
            batch.conditions = Array(rest.prefix(max(1, database.batchLimit)))
            rest = rest.dropFirst(batch.count)
            try await database.commit(batch)
        }
        return []
    }

    /// The records that were saved as given, in the form in which the database holds them.
    ///
    /// Merged records are left out: the caller does not have them, and with their versions the next save would undo the
    /// other writer's change.
    var savedRecords: [Record] {
        records.compactMap { record in
            merged.contains(record.id) ? nil : saved[record.id].map { record.saved(as: $0) }
        }
    }

    var deletedIDs: Set<Record.ID> { missing.union(deletions.prefix(max(0, done - records.count)).map(\.id)) }
    var isEmpty: Bool { records.isEmpty && deletions.isEmpty }
    var openDeletions: [RecordBatch.VersionedID] { Array(deletions.dropFirst(max(0, done - records.count))) }

    func placed(_ error: any Error) -> any Error {
        guard done > 0 else { return error }
        return RecordDatabaseError(
            .partiallySaved, .saved(saved.filter { !merged.contains($0.key) }), underlyingError: error)
    }
}

extension BatchedSave {
    var unsaved: ArraySlice<Record> { records.dropFirst(done) }

    mutating func position(ofUnsaved id: Record.ID) -> Int? {
        if positions.isEmpty {
            positions = Dictionary(zip(records.map(\.id), records.indices), uniquingKeysWith: { first, _ in first })
        }
        return positions[id].flatMap { $0 >= done ? $0 : nil }
    }

    mutating func replace(at position: Int, with record: Record) {
        records[position] = record
        merged.insert(record.id)
    }

    /// Cancels the deletion of records that another writer's record leads to, so that its value can still be read.
    ///
    /// After links, only the records that this save would delete are examined.
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

    mutating func leaveOut(where isLeftOut: (Record.ID) -> Bool) {
        records = records[..<min(done, records.count)] + unsaved.filter { !isLeftOut($0.id) }
        positions = [:]
    }
}

extension Record {
    fileprivate var hasLinks: Bool { references.contains(where: \.isLink) }
}

extension RecordDatabaseError {
    fileprivate var isDeletionOfMissing: Bool { code == .versionMismatch && serverRecord == nil }
}

@_spi(Engines) import NestedRecords

/// What takes a step back, all or nothing: a batch that requires the versions in which the records were found.
struct UndoPlan: Sendable {
    private(set) var batch = RecordBatch()

    /// The records that the batch replaces and deletes.
    let replaced: [Record]

    /// The change, without the records that the library and `nest` need.
    let difference: RecordGraphDifference

    /// Plans to take a step back.
    ///
    /// - Parameter name: The name of the database in errors.
    /// - Throws: ``InputError`` if a record has changed since the step, or the step is damaged; errors of the database.
    init(_ step: UndoStep, in database: any RecordDatabase, named name: String) async throws {
        let entries = try await UndoEntry.all(of: step, in: database)
        let present = try await database.recordsByID(for: entries.map(\.id))
        var writer = RecordWriter()
        let changed = try entries.filter { try !$0.isResult(present[$0.id], &writer) }.map(\.id)
        guard changed.isEmpty else {
            let names = changed.prefix(5).map(\.description).joined(separator: ", ")
            let rest = changed.count > 5 ? " and \((changed.count - 5).grouped) more" : ""
            throw InputError(
                input: name,
                reason: "changed again since '\(step.command)', so that nothing is undone: \(names)\(rest)")
        }
        for entry in entries {
            let now = present[entry.id]
            if var record = entry.before {
                if let now, try record.contentHash(&writer) == now.contentHash(&writer) { continue }
                record.metadata = now?.metadata
                batch.saves.append(record)
            } else if let now {
                batch.deletions.append(RecordBatch.VersionedID(now.id, version: RecordBatch.Version(of: now)))
            }
        }
        replaced = (batch.saves.map(\.id) + batch.deletions.map(\.id)).compactMap { present[$0] }
        difference = try RecordGraph(batch.saves.filter { !$0.id.isReserved }, roots: [])
            .difference(from: RecordGraph(replaced.filter { !$0.id.isReserved }, roots: []))
        try await allowReferrers(of: difference.removed, in: database)
        try await addClaims(over: present, in: database)
        batch.deletions += try step.deletions
    }

    /// The number of records.
    var count: Int { difference.added.count + difference.removed.count + difference.changed.count }

    /// The changes as lines, each with its line break.
    func lines(within width: Int?) -> [String] {
        let changes =
            difference.added.map { RecordDifference.added($0.id) } + difference.removed.map { .removed($0.id) }
            + difference.changes.map { .changed($0.new.id, fields: $0.fields, metadata: []) }
        return changes.map { $0.text(within: width) }
    }

    /// Requires that no record refers to a deleted one, unless it did so before the step: then it was saved earlier.
    private mutating func allowReferrers(of deleted: [Record], in database: any RecordDatabase) async throws {
        if deleted.isEmpty { return }
        let found = try await database.referrers(of: deleted.map(\.id)).mapValues { Set($0.map(\.record)) }
        let holders = try await database.recordsByID(for: Array(Set(found.values.joined())))
        let restored = batch.saves.map(\.id)
        for record in deleted {
            let older = (found[record.id] ?? []).filter { id in
                guard let saved = holders[id]?.metadata, let made = record.metadata else { return false }
                return saved.modificationDate < made.creationDate
            }
            batch.allowedReferrers[record.id] = older.union(restored)
        }
    }

    /// Claims the unique values that come back, of fields in which the database has claims.
    private mutating func addClaims(over present: [Record.ID: Record], in database: any RecordDatabase) async throws {
        let unique = UniqueFields(fieldsByType: try await database.claimedFields().mapValues(Array.init))
        let named = Set(batch.saves.map(\.id) + batch.deletions.map(\.id))
        let claims = batch.saves.flatMap { record in
            unique.claims(of: record).filter { !$0.isInForce(with: present[record.id]) && !named.contains($0.recordID) }
        }
        let found = try await database.recordsByID(for: Array(Set(claims.map(\.recordID))))
        // It takes no commit to find out about the claims that the records have kept.
        let kept = claims.filter { claim in found[claim.recordID].flatMap { UniqueClaim($0) }?.owner == claim.owner }
        let versions = Set(kept.map(\.recordID)).compactMap { found[$0] }
        batch.conditions = versions.map { RecordBatch.VersionedID($0.id, version: RecordBatch.Version(of: $0)) }
        let names = Set(versions.map(\.id))
        try batch.add(claims.filter { !names.contains($0.recordID) })
    }
}

extension RecordDatabase {
    /// The fields of the claims of unique values, by record type.
    func claimedFields() async throws -> [String: Set<String>] {
        var fields: [String: Set<String>] = [:]
        for try await record in records(ofType: UniqueClaim.recordType) {
            guard let claim = UniqueClaim(record) else { continue }
            fields[claim.owner.type, default: []].insert(claim.field)
        }
        return fields
    }
}

#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

struct AppliedBatch: Sendable {
    var metadata: [Record.ID: Record.Metadata] = [:]
    var hasChanged = false
}

/// What the changes of a batch have in common.
struct BatchChange {
    let number: Int64
    let mark: Int64
    let tagStart: String
    let date: Date
    let policy: SavePolicy
    let list: IndexList
    var nextRow: Int64
    var references = NewReferences()
    var counts: [Int64: Int64] = [:]
    var deletions: Int64 = 0
    var hasDamage = false

    /// Batches that a record no longer names.
    var leftBatches: Set<Int64> = []

    /// The numbers of the audience values of the batch.
    var audienceValues: [AudienceKey: Int64] = [:]
    var departures: Int64 = 0

    func version(of record: Record, over stored: Record?, inRow row: Int64) throws -> Record {
        let tag = RecordParts.Version.changeTag(tagStart, inRow: row)
        return record.saved(as: try policy.metadata(of: record, replacing: stored, changeTag: tag, date: date))
    }
}

extension Connection {
    private static var keptBatchCount: Int64 { 1_000_000 }

    func apply(_ batch: RecordBatch, options: SQLiteRecordDatabase.Options) throws -> AppliedBatch {
        if !batch.allowedReferrers.isEmpty { try checkReferrers(of: batch) }
        // New records are not searched for: whether their IDs have rows shows when they are inserted.
        let isNew = batch.savePolicy == .ifUnchanged && batch.saves.allSatisfy { $0.metadata == nil }
        let ids = (isNew ? [] : batch.saves.map(\.id)) + batch.deletions.map(\.id)
        var rows: [Record.ID: StoredRow] = [:]
        rows.reserveCapacity(ids.count)
        try forEachRow(of: ids) { rows[ids[$0]] = $1 }
        for deletion in batch.deletions {
            try deletion.version.check(deletion.id, stored: try rows[deletion.id]?.record.get())
        }
        try check(batch.conditions)
        let deleted = batch.deletions.compactMap { deletion in
            rows[deletion.id].flatMap { $0.isEmpty ? nil : (id: deletion.id, row: $0) }
        }
        if batch.saves.isEmpty, deleted.isEmpty { return AppliedBatch() }

        let (number, mark) = (try lastBatch().number + 1, Int64.random(in: .min ... .max))
        var change = BatchChange(
            number: number, mark: mark, tagStart: RecordParts.Version.tagStart(ofBatch: number, mark: mark),
            date: options.now(), policy: batch.savePolicy, list: try indexList(),
            nextRow: try plausible(
                first("SELECT max(number) FROM records") { $0.int(0) } ?? 0, "the number of a record") + 1)
        try run("INSERT INTO batches VALUES (?1, ?2, ?3)", .int(change.number), .int(change.mark), .date(change.date))
        var metadata: [Record.ID: Record.Metadata] = [:]
        metadata.reserveCapacity(batch.saves.count)
        for record in batch.saves { metadata[record.id] = try save(record, over: rows[record.id], &change) }
        for (id, row) in deleted { try delete(id, in: row, &change) }
        try declare(batch, &change)
        try insert(change.references)
        // The type of a damaged row may have been damaged too.
        if change.hasDamage { try run(Schema.recountOfTypes) }
        for (type, count) in change.counts where count != 0 && !change.hasDamage {
            try run("UPDATE types SET count = count + ?2 WHERE number = ?1", .int(type), .int(count))
        }
        try forgetHistory(change, maximum: options.maximumDeletionCount)
        return AppliedBatch(metadata: metadata, hasChanged: true)
    }

    /// Checks the required versions without reading a body.
    private func check(_ conditions: [RecordBatch.VersionedID]) throws {
        let conditions = conditions.filter { $0.version != .any }
        if conditions.isEmpty { return }
        let ids = conditions.map(\.id)
        var isMet = conditions.map { $0.version.isMet(by: .missing) }
        try forEachRow(of: ids, (QueryStatement.tagByName, QueryStatement.tagsByNames)) { position, row in
            if row.int(3) == 0 { return }
            guard let batch = try storedBatch(row.int(2)) else {
                // Reading the record says what is damaged.
                isMet[position] = false
                return
            }
            let tag = RecordParts.Version.changeTag(batch.tagStart, inRow: row.int(1))
            isMet[position] = conditions[position].version.isMet(by: .changeTag(tag))
        }
        // The error has the whole record.
        for (condition, isMet) in zip(conditions, isMet) where !isMet {
            try condition.version.check(condition.id, stored: try records(for: [condition.id]).first)
        }
    }

    private func save(_ record: Record, over row: StoredRow?, _ change: inout BatchChange) throws -> Record.Metadata? {
        let type = try addedTypeNumber(record.id.type)
        guard let row else {
            let version = try change.version(of: record, over: nil, inRow: change.nextRow)
            guard try write(version, type: type, at: change.nextRow, isNew: true, change) else {
                var present: StoredRow?
                try forEachRow(of: [record.id]) { present = $1 }
                guard let present else { throw lostRow }
                return try save(record, over: present, &change)
            }
            change.counts[type, default: 0] += 1
            try replaceKeys(of: nil, by: version, at: change.nextRow, &change)
            try replaceAudience(of: nil, record.id, by: version, at: change.nextRow, &change)
            change.references.numbers[record.id] = change.nextRow
            change.nextRow += 1
            return version.metadata
        }
        // An unreadable record is replaced as if it did not exist.
        let stored = row.isDamaged && change.policy == .overwrite ? nil : try row.record.get()
        let version = try change.version(of: record, over: stored, inRow: row.number)
        guard try write(version, type: type, at: row.number, isNew: false, change) else { throw lostRow }
        if let batch = row.batch { change.leftBatches.insert(batch) }
        if row.isDeleted { change.deletions -= 1 }
        if row.isEmpty { change.counts[type, default: 0] += 1 }
        try replaceKeys(of: try keyedRecord(in: row, &change), by: version, at: row.number, &change)
        try replaceAudience(of: row, record.id, by: version, at: row.number, &change)
        change.references.numbers[record.id] = row.number
        return version.metadata
    }

    private var lostRow: RecordDatabaseError {
        RecordDatabaseError.corrupt(path: path, what: "an index leads to a missing row")
    }

    private func delete(_ id: Record.ID, in row: StoredRow, _ change: inout BatchChange) throws {
        // The deletion of such a record is not reported, so its row does not stay.
        let batch: Statement.Value = id.isForgottenWhenDeleted ? .null : .int(change.number)
        try run(
            """
            UPDATE records SET body = NULL, fields = NULL, batch = ?2, created = NULL, modified = NULL, shape = NULL
            WHERE number = ?1
            """, .int(row.number), batch)
        if id.isForgottenWhenDeleted { change.references.leftTargets.insert(row.number) } else { change.deletions += 1 }
        if let batch = row.batch { change.leftBatches.insert(batch) }
        if let type = try typeNumber(id.type) { change.counts[type, default: 0] -= 1 }
        try replaceKeys(of: try keyedRecord(in: row, &change), by: nil, at: row.number, &change)
        try replaceAudience(of: row, id, by: nil, at: row.number, &change)
    }

    private static let insertion = """
        INSERT INTO records(number, type, name, batch, created, modified, shape, body, fields)
        VALUES (?1, ?8, ?9, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(type, name) DO NOTHING
        """

    private static let replacement = """
        UPDATE records SET batch = ?2, created = ?3, modified = ?4, shape = ?5, body = ?6, fields = ?7
        WHERE number = ?1
        """

    /// - Returns: Whether a row was changed: not if its ID has a row already.
    private func write(
        _ record: Record, type: Int64, at row: Int64, isNew: Bool, _ change: BatchChange
    ) throws -> Bool {
        var form = GrowingBytes(capacity: 512)
        let valuesStart = try writer.appendParts(of: record, to: &form)
        let shape = try form.withBytes { (bytes: BytesInPlace) throws -> (number: Int64, hash: UInt64)? in
            try self.shape(of: bytes.part(0..<valuesStart))
        }
        let start = shape == nil ? 0 : valuesStart
        let hash = XXH64.hash(utf8Of: record.id.name, seed: typeHash(of: record.id.type))
        let checksum = form.withBytes { bytes in
            Self.checksum(
                of: bytes.part(start..<bytes.count), id: hash, row: row, mark: change.mark, names: shape?.hash ?? 0)
        }
        for shift in stride(from: 0, to: 32, by: 8) { form.append(byte: UInt8(truncatingIfNeeded: checksum >> shift)) }
        func value(_ date: Date?) -> Statement.Value {
            guard let date, date != change.date else { return .null }
            return .date(date)
        }
        let created = value(record.metadata?.creationDate)
        let modified = value(record.metadata?.modificationDate)
        let fields = change.list.hasFields ? Statement.Value.utf8(record.fields.readableJSON) : .null
        return try form.withBytes { (bytes: BytesInPlace) throws -> Bool in
            let body = bytes.part(start..<bytes.count)
            let shapeValue: Statement.Value = if let shape { .int(shape.number) } else { .null }
            let count = try run(isNew ? Self.insertion : Self.replacement) { statement in
                var result = statement.bind(int: row, at: 1)
                result |= statement.bind(int: change.number, at: 2)
                result |= statement.bind(created, at: 3)
                result |= statement.bind(modified, at: 4)
                result |= statement.bind(shapeValue, at: 5)
                result |= statement.bind(inPlace: body, at: 6)
                result |= statement.bind(fields, at: 7)
                if !isNew { return result }
                result |= statement.bind(int: type, at: 8)
                return result | statement.bind(.text(record.id.name), at: 9)
            }
            return count > 0
        }
    }

    /// The record in a row by which its keys are found; nil if it has none.
    ///
    /// The indexed keys of an unreadable record are not known: all index entries of its row are removed.
    private func keyedRecord(in row: StoredRow, _ change: inout BatchChange) throws -> Record? {
        guard row.isDamaged else { return try row.record.get() }
        change.hasDamage = true
        try run("DELETE FROM entries WHERE record = ?1", .int(row.number))
        try run("DELETE FROM record_references WHERE record = ?1", .int(row.number))
        return nil
    }

    private func replaceKeys(of old: Record?, by new: Record?, at row: Int64, _ change: inout BatchChange) throws {
        guard let type = (new ?? old)?.id.type else { return }
        for (index, number) in change.list.numbers where index.recordType == type {
            let keys = (old.map(index.key(of:)), new.map(index.key(of:)))
            if keys.0 == keys.1 { continue }
            if let old, let key = keys.0 { try deleteEntry(of: old, at: row, key: key, in: number) }
            if let new, let key = keys.1 { try insertEntry(of: new, at: row, key: key, in: number) }
        }
        try replaceReferences(of: old, by: new, at: row, &change.references)
    }

    /// Removes the rows of the oldest deleted records if there are too many, and the batches that nothing names.
    private func forgetHistory(_ change: BatchChange, maximum: Int) throws {
        let oldest = try first("SELECT oldest_batch FROM state") { $0.int(0) } ?? 0
        var start = max(oldest, change.number - Self.keptBatchCount + 1)
        if change.deletions != 0 {
            let maximum = Int64(max(0, maximum))
            let count = try deletionCount() + change.deletions
            if count > maximum.addingReportingOverflow(maximum / 4).partialValue, count > maximum {
                start = max(start, try forgetDeletions(count - maximum))
            } else {
                try run("UPDATE state SET deletion_count = ?1", .int(count))
            }
        }
        try forgetDepartures(change, until: start > oldest ? start : 0, maximum: Int64(max(0, maximum)))
        if start > oldest {
            try run(
                """
                DELETE FROM batches WHERE number >= ?1 AND number < ?2
                AND NOT EXISTS (SELECT 1 FROM records WHERE batch = batches.number)
                """, .int(oldest), .int(start))
            try run("UPDATE state SET oldest_batch = ?1", .int(start))
        }
        for batch in change.leftBatches where batch < start {
            try run(
                "DELETE FROM batches WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM records WHERE batch = ?1)",
                .int(batch))
        }
    }

    /// - Returns: The batch of the last deletion that was forgotten.
    private func forgetDeletions(_ count: Int64) throws -> Int64 {
        // Whole batches, so that a token is either after a batch or before it.
        let last =
            try first(
                """
                SELECT batch FROM records WHERE body IS NULL AND batch IS NOT NULL ORDER BY batch LIMIT 1 OFFSET ?1
                """, .int(count - 1)
            ) { $0.int(0) } ?? 0
        // Those to which a record refers keep their numbers.
        try run(
            """
            UPDATE records SET batch = NULL WHERE body IS NULL AND batch IS NOT NULL AND batch <= ?1
            AND EXISTS (SELECT 1 FROM record_references WHERE target = number)
            """, .int(last))
        try run("DELETE FROM records WHERE body IS NULL AND batch IS NOT NULL AND batch <= ?1", .int(last))
        try run(Schema.recount)
        return last
    }
}
#endif

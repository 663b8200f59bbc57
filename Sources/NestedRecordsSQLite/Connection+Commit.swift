#if SQLite
import Foundation
@_spi(Engines) import NestedRecords

struct AppliedBatch: Sendable {
    var metadata: [Record.ID: Record.Metadata] = [:]
    var hasChanged = false
}

extension Connection {
    private typealias ReferenceRow = (target: Record.ID, record: Int64, owns: Bool)

    private static var keptBatchCount: Int64 { 1_000_000 }

    func apply(_ batch: RecordBatch, options: SQLiteRecordDatabase.Options) throws -> AppliedBatch {
        var rows: [Record.ID: StoredRow] = [:]
        rows.reserveCapacity(batch.count)
        let ids = batch.saves.map(\.id) + batch.deletions.map(\.id)
        try forEachRow(of: ids) { rows[ids[$0]] = $1 }
        // Of records that stay as they are, only the metadata is read.
        let conditions = batch.conditions.map(\.id)
        try forEachRow(of: conditions, readsFields: false) { rows[conditions[$0]] = $1 }
        if !batch.allowedReferrers.isEmpty { try checkReferrers(of: batch) }

        let number = try lastBatch().number + 1
        let mark = Int64.random(in: .min ... .max)
        // With the mark, so that tags stay unique if an older copy of the file replaces this one.
        let prefix = "\(String(number, radix: 36))-\(String(UInt64(bitPattern: mark), radix: 36))-"
        var count = 0
        let versions: [Record]
        do {
            versions = try batch.newVersions(date: options.now()) {
                count += 1
                return prefix + String(count, radix: 36)
            } over: { id in
                guard let row = rows[id] else { return nil }
                // An unreadable record is replaced as if it did not exist.
                return try row.isDamaged && batch.replaces(id) ? nil : row.record.get()
            }
        } catch let error as RecordDatabaseError where error.code == .versionMismatch {
            // The record of a condition was read without its fields.
            guard let id = error.recordID, let row = rows[id], error.serverRecord != nil else { throw error }
            throw RecordDatabaseError(
                .versionMismatch, .versions(server: try record(inRow: row.number), expected: error.expectedVersion),
                recordID: id)
        }
        let deleted = batch.deletions.compactMap { deletion in
            rows[deletion.id].flatMap { $0.isDeleted ? nil : (id: deletion.id, row: $0) }
        }
        if versions.isEmpty, deleted.isEmpty { return AppliedBatch() }

        try run("INSERT INTO batches VALUES (?1, ?2)", .int(number), .int(mark))
        let list = try indexList()
        var metadata: [Record.ID: Record.Metadata] = [:]
        metadata.reserveCapacity(versions.count)
        var references: [ReferenceRow] = []
        var returnedCount = 0
        for version in versions {
            let row = rows[version.id]
            if row?.isDeleted == true { returnedCount += 1 }
            try store(
                version, over: row, batch: number, fields: options.writesFieldsForSQL ? version.fields : nil, list,
                &references)
            metadata[version.id] = version.metadata
        }
        for (id, row) in deleted {
            if id.isUniqueClaim {
                try run("DELETE FROM records WHERE number = ?1", .int(row.number))
                returnedCount += 1
            } else {
                try run(
                    "UPDATE records SET body = NULL, fields = NULL, batch = ?2 WHERE number = ?1", .int(row.number),
                    .int(number))
            }
            try replaceKeys(of: try keyedRecord(in: row), by: nil, at: row.number, list, &references)
        }
        try insert(references)
        try forgetDeletions(adding: deleted.count - returnedCount, maximum: options.maximumDeletionCount)
        try run("DELETE FROM batches WHERE number <= ?1", .int(number - Self.keptBatchCount))
        return AppliedBatch(metadata: metadata, hasChanged: true)
    }

    private func checkReferrers(of batch: RecordBatch) throws {
        var check = ReferrerCheck(batch)
        let targets = check.targets
        try forEachReferrer(of: Set(targets)) { check.note($0) }
        var present: Set<Record.ID> = []
        try forEachRow(of: targets) { if !$1.isDeleted { present.insert(targets[$0]) } }
        try check.check(batch, exists: present.contains)
    }

    private func store(
        _ record: Record, over row: StoredRow?, batch: Int64, fields: Record.Fields?, _ list: IndexList,
        _ references: inout [ReferenceRow]
    ) throws {
        let body = try writer.bytes(of: record)
        let fields = fields.map { Statement.Value.utf8($0.readableJSON) } ?? .null
        if let row {
            try run(
                "UPDATE records SET body = ?2, batch = ?3, fields = ?4 WHERE number = ?1", .int(row.number),
                .bytes(body), .int(batch), fields)
        } else {
            try run(
                "INSERT INTO records(type, name, batch, body, fields) VALUES (?1, ?2, ?3, ?4, ?5)",
                .text(record.id.type), .text(record.id.name), .int(batch), .bytes(body), fields)
        }
        try replaceKeys(
            of: try row.flatMap { try keyedRecord(in: $0) }, by: record, at: row?.number ?? lastNumber, list,
            &references)
    }

    /// The record in a row by which its keys are found; nil if it has none.
    ///
    /// The indexed keys of an unreadable record are not known: all index entries of its row are removed.
    private func keyedRecord(in row: StoredRow) throws -> Record? {
        guard row.isDamaged else { return try row.record.get() }
        try run("DELETE FROM entries WHERE record = ?1", .int(row.number))
        try run("DELETE FROM record_references WHERE record = ?1", .int(row.number))
        return nil
    }

    private func replaceKeys(
        of old: Record?, by new: Record?, at row: Int64, _ list: IndexList, _ references: inout [ReferenceRow]
    ) throws {
        guard let type = (new ?? old)?.id.type else { return }
        for (index, number) in list.numbers where index.recordType == type {
            let keys = (old.map(index.key(of:)), new.map(index.key(of:)))
            if keys.0 == keys.1 { continue }
            if let old, let key = keys.0 { try deleteEntry(of: old, at: row, key: key, in: number) }
            if let new, let key = keys.1 { try insertEntry(of: new, at: row, key: key, in: number) }
        }
        let targets = (old?.targets ?? [:], new?.targets ?? [:])
        if targets.0 == targets.1 { return }
        for (target, owns) in targets.0 where targets.1[target] != owns {
            try run(
                "DELETE FROM record_references WHERE target = ?1 AND record = ?2", .text(target.description),
                .int(row))
        }
        for (target, owns) in targets.1 where targets.0[target] != owns {
            references.append((target, row, owns))
        }
    }

    private static var insertedCount: Int { 20 }

    /// Several rows in a statement take two thirds of the time of a statement for each.
    private func insert(_ references: [ReferenceRow]) throws {
        for start in stride(from: 0, to: references.count, by: Self.insertedCount) {
            let rows = references[start..<min(start + Self.insertedCount, references.count)]
            let places = repeatElement("(?, ?, ?)", count: rows.count).joined(separator: ", ")
            var values: [Statement.Value] = []
            values.reserveCapacity(rows.count * 3)
            for row in rows {
                values.append(.text(row.target.description))
                values.append(.int(row.record))
                values.append(.int(row.owns ? 1 : 0))
            }
            // With the default `OR ABORT`, SQLite would first copy each page that a statement of several rows changes.
            // Here the transaction or the savepoint is undone after every error.
            try forEachRow("INSERT OR FAIL INTO record_references VALUES \(places)", values) { _ in true }
        }
    }

    /// Removes the rows of the oldest deleted records if there are too many.
    private func forgetDeletions(adding change: Int, maximum: Int) throws {
        if change == 0 { return }
        let maximum = Int64(max(0, maximum))
        let count = try deletionCount() + Int64(change)
        guard count > maximum.addingReportingOverflow(maximum / 4).partialValue, count > maximum else {
            return try run("UPDATE state SET deletion_count = ?1", .int(count))
        }
        // Whole batches, so that a token is either after a batch or before it.
        let last =
            try first(
                "SELECT batch FROM records WHERE body IS NULL ORDER BY batch LIMIT 1 OFFSET ?1",
                .int(count - maximum - 1)
            ) { $0.int(0) } ?? 0
        try run("DELETE FROM records WHERE body IS NULL AND batch <= ?1", .int(last))
        try run("DELETE FROM batches WHERE number < ?1", .int(last))
        try run("UPDATE state SET deletion_count = (SELECT count(*) FROM records WHERE body IS NULL)")
    }
}

extension RecordBatch {
    fileprivate func replaces(_ id: Record.ID) -> Bool {
        savePolicy == .overwrite && saves.contains { $0.id == id }
    }
}

extension Record {
    /// The targets of the references, and whether one of the references to each is owning.
    var targets: [Record.ID: Bool] {
        Dictionary(references.lazy.map { ($0.id, $0.action == .deleteSelf) }, uniquingKeysWith: { $0 || $1 })
    }
}
#endif

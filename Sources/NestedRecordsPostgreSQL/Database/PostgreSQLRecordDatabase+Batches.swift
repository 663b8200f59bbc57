#if PostgreSQL
import Foundation
@_spi(Engines) public import NestedRecords

extension PostgreSQLRecordDatabase {
    /// Applies a batch completely, or not at all if an error is thrown.
    ///
    /// It is one statement, which locks the rows in the order of their IDs. Records for which the batch has only
    /// conditions are locked as well, and others cannot save records that must not exist. So all conditions hold when
    /// the batch is applied. A batch with `RecordBatch.allowedReferrers` waits for those that save references to the same
    /// records, and they wait for it.
    ///
    /// If the batch was sent and the connection is lost, its outcome is unknown: the error says so, and
    /// ``outcome(of:)`` finds it out.
    ///
    /// A record whose row is damaged is replaced or deleted. If the batch requires a version of it, and it has another
    /// version, the error is `corrupt` and names the record.
    ///
    /// - Throws: `RecordDatabaseError`, `RecordError` for a record that cannot be written, and `CancellationError` if
    ///   nothing was saved.
    /// - Complexity: One round trip; four if the batch is refused or if other writers are faster.
    @discardableResult
    public func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        try check(batch)
        if batch.isEmpty { return [:] }
        return try await batch.withContents { try await apply($0) }
    }

    private func apply(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] {
        if !batch.declarations.isEmpty { try require(.audiences, for: "the declaration of an audience") }
        let id = batch.id ?? RecordBatch.makeID()
        guard let (token, _) = RecordBatch.parts(ofID: id) else {
            throw RecordDatabaseError(.unsupported, reason: "the identifier \(id.debugDescription)")
        }
        let commit = SentBatch(token: token, date: options.now())
        var catalog = try await knownCatalog()
        var rows =
            try batch.refersOnlyWhereAllowed
            ? self.rows(of: batch, commit, catalog) : await checkedRows(of: batch, commit, catalog)
        var attempt = 0
        while true {
            attempt += 1
            do {
                let first = tables.referenceStatements(of: rows)
                var statements = first
                if !batch.declarations.isEmpty { statements.append(tables.exclusion) }
                var position = statements.count
                statements += tables.commit(
                    rows, token: commit.token, isSystem: !batch.changesRecordsOfCallers, catalog)
                statements += tables.audienceStatements(of: rows) + tables.declarations(of: batch, rows)
                if !batch.declarations.isEmpty {
                    // The server locks a table only in a block.
                    statements = Tables.block(statements)
                    position += 1
                }
                let answers = try await reportingMissingTables {
                    try await pool.execute(statements, isRepeatable: false)
                }
                if batch.changesRecordsOfCallers { bell.ring() }
                return try metadata(of: rows, answers.dropFirst(position))
            } catch let failure as RecordDatabaseError {
                if failure.code == .connectionLost {
                    throw RecordDatabaseError(
                        .unknownOutcome, .batch(id), underlyingError: failure)
                }
                if failure.isTakenToken { throw RecordDatabaseError(.batchVoided, .batch(id)) }
                guard failure.isUnmetCondition || failure.isSerializationFailure else { throw failure }
                if attempt >= Self.mostAttempts {
                    throw RecordDatabaseError(
                        .busy, .system(operation: "save"), reason: "\(attempt) times", underlyingError: failure)
                }
                if attempt > 2 {
                    let milliseconds = Int.random(in: 1...5 * min(attempt, 20))
                    try await Task.sleep(for: .milliseconds(milliseconds))
                }
                if failure.isUnmetCondition {
                    catalog = try await readCatalog()
                    do {
                        rows = try await checkedRows(of: batch, commit, catalog)
                    } catch let refusal as RecordDatabaseError where batch.id != nil {
                        // A copy of a batch that was applied fails its conditions, too.
                        guard try await read(tables.search(for: commit.token)).count > 0 else { throw refusal }
                        throw RecordDatabaseError(.batchVoided, .batch(id))
                    }
                }
            }
        }
    }

    static let mostAttempts = 50

    /// Finds out whether a batch with an unknown outcome was saved.
    ///
    /// The answer is final: a batch that is still in progress is waited for, and one that is not saved by now never
    /// will be.
    ///
    /// - Parameter id: The `batchID` of the error with the code `unknownOutcome`: the identifier that the batch was given,
    ///   or else one that the commit has made.
    /// - Returns: The metadata of the saved records that have not changed since then; nil if the batch was not saved.
    /// - Throws: `RecordDatabaseError`, with the code `outcomeForgotten` if the batch is older than
    ///   ``Options/historyAge``; and `CancellationError`.
    public func outcome(of id: String) async throws -> [Record.ID: Record.Metadata]? {
        guard let (token, date) = RecordBatch.parts(ofID: id),
            options.historyAge.map({ date.timeIntervalSinceNow > -$0.inSeconds }) ?? true
        else { throw RecordDatabaseError(.outcomeForgotten, .batch(id)) }
        let answers = try await reportingMissingTables {
            try await pool.execute(tables.outcome(of: token), isRepeatable: true)
        }
        guard let answer = answers.last, answer.count == 1 else {
            throw RecordDatabaseError(.notPrepared, reason: "the table of the store is empty")
        }
        if let transaction = answer.transaction(0, 0) {
            let rows = StoredRecords(try await read(tables.records(savedBy: transaction)), of: tables)
            return try Dictionary(
                (0..<rows.count).map { (try rows.id($0), rows.metadata($0)) }, uniquingKeysWith: { first, _ in first })
        }
        // The clocks of two machines may differ.
        if let purged = answer.double(0, 1), date < Date(timeIntervalSince1970: purged + 3_600) {
            throw RecordDatabaseError(.outcomeForgotten, .batch(id))
        }
        return nil
    }

    /// The rows of a batch that requires the records to be as they are now, if they meet its conditions.
    private func checkedRows(
        of batch: RecordBatch, _ commit: SentBatch, _ catalog: Catalog
    ) async throws -> BatchRows {
        let stored = try await storedRecords(of: batch)
        try batch.checkVersions { stored[$0] }
        if !batch.allowedReferrers.isEmpty {
            var check = ReferrerCheck(batch)
            try await forEachReferrer(of: check.targets) { record, _ in check.note(record) }
            try check.check(batch) { stored[$0] != nil }
        }
        return try rows(of: batch, commit, catalog, over: stored)
    }

    /// The rows of a batch: as far as the batch specifies their required states, or if it requires the records to be as
    /// they were read.
    private func rows(
        of batch: RecordBatch, _ commit: SentBatch, _ catalog: Catalog, over stored: [Record.ID: Record]? = nil
    ) throws -> BatchRows {
        var number = 0
        var rows = BatchRows(catalog, writesFields: options.writesFieldsForSQL)
        let policy = stored == nil ? .overwrite : batch.savePolicy
        let date = stored == nil ? commit.date : options.now()
        for record in batch.saves {
            if stored == nil, record.hasServerTimestamp { rows.dependsOnModification = true }
            let server = stored?[record.id]
            let metadata = try policy.metadata(
                of: record, replacing: server, changeTag: commit.tag(&number), date: date)
            let present = server.map { RecordBatch.Version(of: $0) } ?? .missing
            let expected = stored == nil ? batch.savePolicy.expected(of: record) : present
            try rows.add(record.saved(as: metadata), metadata, expected: expected)
        }
        // A missing record meets the condition, and must stay missing then.
        var missing: Set<Record.ID> = []
        for (id, allowed) in batch.allowedReferrers {
            if let stored, stored[id] == nil { missing.insert(id) } else { rows.add(allowed, mayReferTo: id) }
        }
        for var deletion in batch.deletions {
            if missing.remove(deletion.id) != nil { deletion.version = .missing }
            try rows.add(deletion, tag: commit.tag(&number), date: commit.date)
        }
        for condition in batch.conditions where !missing.contains(condition.id) {
            rows.add(condition, date: commit.date)
        }
        for record in batch.saves { missing.remove(record.id) }
        for id in missing { rows.add(RecordBatch.VersionedID(id, version: .missing), date: commit.date) }
        rows.sort()
        return rows
    }

    /// The records that a batch names, as stored on the server.
    ///
    /// An unreadable record that may have any version has no fields.
    private func storedRecords(of batch: RecordBatch) async throws -> [Record.ID: Record] {
        var ids = batch.saves.map(\.id) + batch.deletions.map(\.id) + batch.conditions.map(\.id)
        if !batch.allowedReferrers.isEmpty { ids = Array(Set(ids + batch.allowedReferrers.keys)) }
        let rows = try await read(fetch(ids))
        var stored = StoredRecords(rows, of: tables)
        var found: [Record.ID: Record] = [:]
        for row in 0..<stored.count {
            let id = try stored.id(row)
            do {
                found[id] = try stored.record(row)
            } catch let failure as RecordDatabaseError where failure.code == .corrupt {
                guard batch.takesAnyVersion(of: id) else { throw failure }
                var record = try Record(id: id, fields: [:])
                record.metadata = stored.metadata(row)
                found[id] = record
            }
        }
        return found
    }

    private func metadata(of rows: BatchRows, _ answers: ArraySlice<Answer>) throws -> [Record.ID: Record.Metadata] {
        guard let answer = answers.first, answer.count == 1 else {
            throw RecordDatabaseError(.corrupt, reason: "the answer to a save has no row")
        }
        let (created, modified) = (answer.doubles(0, 1), answer.doubles(0, 2))
        guard created.count == rows.rows.count, modified.count == rows.rows.count else {
            throw RecordDatabaseError(.corrupt, reason: "the answer to a save has too few times")
        }
        var saved: [Record.ID: Record.Metadata] = [:]
        for (position, row) in rows.rows.enumerated() where row.body != nil {
            saved[row.id] = Record.Metadata(
                changeTag: row.tag, creationDate: Date(timeIntervalSinceReferenceDate: created[position]),
                modificationDate: Date(timeIntervalSinceReferenceDate: modified[position]))
        }
        return saved
    }
}

/// A batch that is sent to the server.
struct SentBatch {
    /// The random number of the batch's identifier, which the batch leaves on the server.
    let token: UInt64

    /// The date of the metadata.
    let date: Date

    fileprivate func tag(_ number: inout Int) -> String {
        number += 1
        return String(token, radix: 36) + "-" + String(number, radix: 36)
    }
}

extension RecordBatch {
    /// Whether none of the saved records refers to one to which it may not refer.
    fileprivate var refersOnlyWhereAllowed: Bool {
        if allowedReferrers.isEmpty { return true }
        do {
            try ReferrerCheck(self).check(self) { _ in true }
            return true
        } catch {
            return false
        }
    }

    fileprivate func takesAnyVersion(of id: Record.ID) -> Bool {
        saves.allSatisfy { $0.id != id || savePolicy.expected(of: $0) == .any }
            && deletions.allSatisfy { $0.id != id || $0.version == .any }
            && conditions.allSatisfy { $0.id != id || $0.version == .any }
    }
}

extension SavePolicy {
    fileprivate func expected(of record: Record) -> RecordBatch.Version {
        switch self {
        case .overwrite: .any
        case .ifUnchanged: RecordBatch.Version(of: record)
        }
    }
}
#endif

extension RecordDatabase {
    /// Migrates records that earlier versions of their types have stored.
    ///
    /// A record whose type changes is saved under its new ID and deleted under its former one, in one batch with all
    /// records that refer to it, so that no reference ever dangles. If these exceed the batch limit, the record is
    /// saved first, then the references are changed, then the former record is deleted. If another record already has
    /// the new ID, or would also get it, both records stay unchanged, and the report says so.
    ///
    /// A record that another writer changes between reading and writing is read again, so that no change is lost. To
    /// rename types, stop the writers, migrate, and start them again: a program reads a record under one type alone. An
    /// interrupted migration can be repeated: records that are up to date stay unchanged.
    ///
    /// - Parameters:
    ///   - migration: The changes.
    ///   - options: The batch size, and the treatment of progress.
    /// - Returns: The results, with the records that could not be changed.
    /// - Throws: `RecordError.Code.invalidID` for types that no record can have; errors of
    ///   ``records(ofType:)``, ``records(for:)`` and ``commit(_:)``, except for conflicts with other writers; and
    ///   `CancellationError` if the task is cancelled between two batches.
    /// - Complexity: One pass over all records, another if records were changed, and one fetch and one save for each
    ///   batch. The memory is in proportion to the IDs of the records to change.
    @discardableResult
    public func migrate(
        _ migration: RecordMigration, options: MigrationOptions = MigrationOptions()
    ) async throws -> MigrationReport {
        try migration.check()
        var run = MigrationRun(migration, options, in: self)
        return try await run.run()
    }
}

/// One migration of a database.
private struct MigrationRun<Database: RecordDatabase> {
    private let migration: RecordMigration
    private let options: MigrationOptions
    private let database: Database
    private let limit: Int

    private var report: MigrationReport
    private var rewritten: Set<Record.ID> = []
    private var failed: Set<Record.ID> = []

    /// The change tags of the copies under new IDs, by the former IDs.
    private var copies: [Record.ID: String] = [:]

    /// The records whose type is still to be changed.
    private var moving: Set<Record.ID> = []

    /// Other writers may continue to write former types; this many passes suffice unless they never stop.
    private static var mostPasses: Int { 5 }

    init(_ migration: RecordMigration, _ options: MigrationOptions, in database: Database) {
        (self.migration, self.options, self.database) = (migration, options, database)
        limit = max(1, min(options.batchSize, database.batchLimit))
        report = MigrationReport(isDryRun: options.isDryRun)
    }

    mutating func run() async throws -> MigrationReport {
        for pass in 1...Self.mostPasses {
            let work = try await examine(isFirst: pass == 1)
            if work.isEmpty { break }
            if options.isDryRun {
                try await preview(work)
                break
            }
            try await moveAll(work)
            try await rewrite(work.changed)
        }
        options.progress?(report)
        return report
    }
}

// MARK: Finding the work

/// The records that are not up to date.
private struct MigrationWork {
    /// The records whose type changes, in the order in which the database lists them.
    var movers: [Record.ID] = []

    /// The records that refer to them.
    var referrers: [Record.ID: [Record.ID]] = [:]

    /// The records that keep their type.
    var changed: [Record.ID] = []

    var isEmpty: Bool { movers.isEmpty && changed.isEmpty }
}

extension MigrationRun {
    /// Finds the work, in one pass over all records.
    private mutating func examine(isFirst: Bool) async throws -> MigrationWork {
        var work = MigrationWork()
        var referrers: [Record.ID: [Record.ID]] = [:]
        var count = 0
        try Task.checkCancellation()
        for try await record in database.records(ofType: nil) {
            try Task.checkCancellation()
            count += 1
            for target in Set(record.references.map(\.id)) where migration.newID(of: target) != nil {
                referrers[target, default: []].append(record.id)
            }
            if failed.contains(record.id) { continue }
            do {
                let isChanged = try changed(record, where: { _ in true }) != nil
                if migration.newID(of: record.id) != nil {
                    work.movers.append(record.id)
                } else if isChanged {
                    work.changed.append(record.id)
                }
            } catch {
                fail(record.id, "\(error)")
            }
        }
        if isFirst { report.examinedCount = count }
        failClashes(in: &work.movers)
        moving = Set(work.movers)
        // References to records that could not be moved stay, and so do the records that hold only such references.
        work.referrers = referrers.filter { moving.contains($0.key) }
        let stuck = referrers.filter { failed.contains($0.key) }
        if !stuck.isEmpty { try await removeUnchanged(&work.changed) }
        options.progress?(report)
        return work
    }

    /// Removes records that would get the same ID.
    private mutating func failClashes(in movers: inout [Record.ID]) {
        var former: [Record.ID: [Record.ID]] = [:]
        for id in movers { migration.newID(of: id).map { former[$0, default: []].append(id) } }
        for (newID, ids) in former where ids.count > 1 {
            let names = ids.map(\.description).sorted().joined(separator: ", ")
            let reason = "these records would all become \(newID), delete or rename all but one: \(names)"
            for id in ids { fail(id, reason) }
        }
        movers.removeAll { failed.contains($0) }
    }

    /// Removes records that only refer to records that could not be moved.
    private func removeUnchanged(_ ids: inout [Record.ID]) async throws {
        var kept: [Record.ID] = []
        for batch in ids.batches(of: limit) {
            for record in try await database.presentRecords(for: Array(batch)) {
                if (try? changed(record, where: { !failed.contains($0) })) ?? nil != nil { kept.append(record.id) }
            }
        }
        ids = kept
    }

    /// A migrated record, with new IDs in those of its references for which the closure returns true; nil if it is up
    /// to date.
    ///
    /// - Throws: `RecordError.Code.newerVersion`.
    private func changed(_ record: Record, where isMoved: (Record.ID) -> Bool) throws -> Record? {
        let result = try migration.fieldsMigrated(record).replacingReferences { id in
            migration.newID(of: id).flatMap { isMoved(id) ? $0 : nil }
        }
        return result.fields.changes(from: record.fields).isEmpty ? nil : result
    }

    /// A record that refers to a moved record; its own fields stay unchanged until it is moved itself.
    private func changed(referrer record: Record, where isMoved: (Record.ID) -> Bool) throws -> Record? {
        guard migration.newID(of: record.id) != nil else { return try changed(record, where: isMoved) }
        let result = record.replacingReferences { id in migration.newID(of: id).flatMap { isMoved(id) ? $0 : nil } }
        return result.fields.changes(from: record.fields).isEmpty ? nil : result
    }

    /// Reports what the migration would do.
    private mutating func preview(_ work: MigrationWork) async throws {
        for batch in work.movers.batches(of: limit) {
            for mover in try await read(Array(batch), [:]).movers {
                let id = mover.record.id
                let unchangeable = work.referrers[id]?.first { failed.contains($0) && migration.newID(of: $0) == nil }
                if let problem = mover.problem ?? unchangeable.map({ "the record \($0), which refers to it, fails" }) {
                    fail(id, problem)
                } else {
                    note(id)
                }
            }
        }
        report.movedCount = rewritten.count
        var changed = work.changed
        if !failed.isEmpty { try await removeUnchanged(&changed) }
        for id in changed { note(id) }
    }

    private mutating func note(_ id: Record.ID) {
        if rewritten.insert(id).inserted { report.rewrittenCount += 1 }
    }

    private mutating func fail(_ id: Record.ID, _ reason: String) {
        guard failed.insert(id).inserted else { return }
        report.failures.append(MigrationReport.Failure(id: id, reason: reason))
    }
}

// MARK: Records that keep their type

extension MigrationRun {
    private mutating func rewrite(_ ids: [Record.ID]) async throws {
        for batch in ids.batches(of: limit) { try await rewriteTogether(Array(batch)) }
    }

    private mutating func rewriteTogether(_ ids: [Record.ID]) async throws {
        let ids = ids.filter { !failed.contains($0) }
        if ids.isEmpty { return }
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let isMoved = { [moving, failed] (id: Record.ID) in !moving.contains(id) && !failed.contains(id) }
            var records: [Record] = []
            for record in try await database.presentRecords(for: ids) {
                do {
                    if let changed = try changed(record, where: isMoved) { records.append(changed) }
                } catch {
                    fail(record.id, "\(error)")
                }
            }
            if records.isEmpty { return }
            do {
                try await database.commit(RecordBatch(saving: records, savePolicy: .ifUnchanged))
                for record in records { note(record.id) }
                options.progress?(report)
                return
            } catch let error as RecordDatabaseError where error.isOvertaken {
                attempt += 1
                if attempt <= options.maximumAttempts { continue }
                guard ids.count > 1 else { return fail(ids[0], "\(error)") }
                // One record that always changes must not block the others.
                try await rewriteTogether(Array(ids.prefix(ids.count / 2)))
                return try await rewriteTogether(Array(ids.dropFirst(ids.count / 2)))
            }
        }
    }
}

// MARK: Records whose type changes

/// A record whose type changes, and the record under its new ID.
private struct Mover {
    let record: Record
    let new: Record

    /// The existing record under the new ID: a copy from an interrupted migration.
    let copy: Record?

    /// The reason why it cannot be moved.
    let problem: String?
}

extension MigrationRun {
    private mutating func moveAll(_ work: MigrationWork) async throws {
        var group: [Record.ID] = []
        var members: Set<Record.ID> = []
        for id in work.movers {
            let referrers = Set((work.referrers[id] ?? []).flatMap(presentIDs))
            let joined = members.union(referrers).union([id])
            // Each moved record is saved and deleted.
            if !group.isEmpty, joined.count + group.count + 1 > limit {
                try await moveTogether(group, work.referrers)
                (group, members) = ([], [])
            }
            if group.isEmpty, referrers.subtracting([id]).count + 2 > limit {
                try await moveInSteps(id, referrers.sorted())
                continue
            }
            group.append(id)
            members.formUnion(referrers)
            members.insert(id)
        }
        try await moveTogether(group, work.referrers)
    }

    /// The IDs that a record may have now: it may be a moved one.
    private func presentIDs(of id: Record.ID) -> [Record.ID] { [id] + (migration.newID(of: id).map { [$0] } ?? []) }

    /// Reads the records to move, and those that refer to them.
    private func read(
        _ ids: [Record.ID], _ referrers: [Record.ID: [Record.ID]]
    ) async throws -> (movers: [Mover], referrers: [Record]) {
        let newIDs = ids.compactMap { migration.newID(of: $0) }
        let others = Set(ids.flatMap { referrers[$0] ?? [] }.flatMap(presentIDs)).subtracting(ids + newIDs)
        var found: [Record.ID: Record] = [:]
        for record in try await database.presentRecords(for: Array(Set(ids + newIDs).union(others)).sorted()) {
            found[record.id] = record
        }
        let isMoved = { [moved = Set(ids), moving, failed] (id: Record.ID) in
            moved.contains(id) || !moving.contains(id) && !failed.contains(id)
        }
        let movers: [Mover] = ids.compactMap { id in
            guard let record = found[id], let newID = migration.newID(of: id) else { return nil }
            let copy = found[newID]
            do {
                let fields = try (changed(record, where: isMoved) ?? record).fields
                let new = Record(id: newID, checkedFields: fields)
                let isOwn = copy.map { copies[id] == $0.metadata?.changeTag } ?? true
                let isOther = try !isOwn && copy.map { try !isCopy($0, of: record) } ?? false
                let problem = isOther ? "another record \(newID) exists: delete one of the two" : nil
                return Mover(record: record, new: new, copy: copy, problem: problem)
            } catch {
                return Mover(record: record, new: record, copy: copy, problem: "\(error)")
            }
        }
        return (movers, others.sorted().compactMap { found[$0] })
    }

    /// Whether a record has the migrated content of another, whatever IDs their references have.
    private func isCopy(_ copy: Record, of record: Record) throws -> Bool {
        let (left, right) = (try changed(copy) { _ in true } ?? copy, try changed(record) { _ in true } ?? record)
        return left.fields.changes(from: right.fields).isEmpty
    }

    /// Moves records in one batch, together with those that refer to them.
    private mutating func moveTogether(_ ids: [Record.ID], _ referrers: [Record.ID: [Record.ID]]) async throws {
        var ids = ids.filter { !failed.contains($0) }
        var attempt = 1
        while !ids.isEmpty {
            try Task.checkCancellation()
            let (movers, others) = try await read(ids, referrers)
            let problems = movers.filter { $0.problem != nil }
            if !problems.isEmpty {
                for mover in problems { fail(mover.record.id, mover.problem ?? "") }
                ids.removeAll { failed.contains($0) }
                continue
            }
            let isMoved = { [moved = Set(ids), moving, failed] (id: Record.ID) in
                moved.contains(id) || !moving.contains(id) && !failed.contains(id)
            }
            var saves: [Record] = []
            for other in others {
                do {
                    if let record = try changed(referrer: other, where: isMoved) { saves.append(record) }
                } catch {
                    fail(other.id, "\(error)")
                    for id in ids where other.references.contains(where: { $0.id == id }) {
                        fail(id, "the record \(other.id), which refers to it, cannot be changed: \(error)")
                    }
                }
            }
            if ids.contains(where: failed.contains) {
                ids.removeAll { failed.contains($0) }
                continue
            }
            var batch = RecordBatch(savePolicy: .ifUnchanged)
            batch.saves = saves + movers.map { $0.new(over: $0.copy) }
            batch.deletions = movers.map { RecordBatch.Deletion(removing: $0.record) }
            if batch.isEmpty { return }
            do {
                try await database.commit(batch)
                note(moved: movers.map(\.record.id), saves)
                return
            } catch let error as RecordDatabaseError where error.isOvertaken {
                attempt += 1
                if attempt <= options.maximumAttempts { continue }
                guard ids.count > 1 else { return fail(ids[0], "\(error)") }
                let (first, second) = (Array(ids.prefix(ids.count / 2)), Array(ids.dropFirst(ids.count / 2)))
                try await moveTogether(first, referrers)
                return try await moveTogether(second, referrers)
            }
        }
    }

    private mutating func note(moved ids: [Record.ID], _ referrers: [Record]) {
        for id in ids {
            moving.remove(id)
            note(migration.newID(of: id) ?? id)
        }
        report.movedCount += ids.count
        for record in referrers where migration.newID(of: record.id) == nil { note(record.id) }
        options.progress?(report)
    }

    /// Moves a record with more referring records than a batch allows: saves it under its new ID, changes the
    /// references, and deletes it under its former ID.
    private mutating func moveInSteps(_ id: Record.ID, _ referrers: [Record.ID]) async throws {
        var attempt = 1
        while true {
            try Task.checkCancellation()
            guard let mover = try await read([id], [:]).movers.first else { return }
            if let problem = mover.problem { return fail(id, problem) }
            let version = RecordBatch.Version(of: mover.record)
            do {
                if mover.copy.map({ !mover.new.fields.changes(from: $0.fields).isEmpty }) ?? true {
                    var save = RecordBatch(saving: [mover.new(over: mover.copy)], savePolicy: .ifUnchanged)
                    if limit > 1 { save.conditions = [RecordBatch.Condition(id, version: version)] }
                    copies[id] = try await database.commit(save)[mover.new.id]?.changeTag
                }
                let isMoved = { [moving, failed] (other: Record.ID) in
                    other == id || !moving.contains(other) && !failed.contains(other)
                }
                for batch in referrers.filter({ $0 != id }).batches(of: limit) {
                    let records = try await database.presentRecords(for: Array(batch))
                        .compactMap { try changed(referrer: $0, where: isMoved) }
                    if records.isEmpty { continue }
                    try await database.commit(RecordBatch(saving: records, savePolicy: .ifUnchanged))
                    for record in records where migration.newID(of: record.id) == nil { note(record.id) }
                }
                var deletion = RecordBatch()
                deletion.deletions = [RecordBatch.Deletion(id, version: version)]
                try await database.commit(deletion)
                return note(moved: [id], [])
            } catch let error as RecordDatabaseError where error.isOvertaken {
                attempt += 1
                if attempt > options.maximumAttempts { return fail(id, "\(error)") }
            } catch let error as RecordError where error.code == .newerVersion {
                return fail(id, "a record that refers to it cannot be changed: \(error)")
            }
        }
    }
}

extension Mover {
    /// The record to save under the new ID, replacing a copy.
    fileprivate func new(over copy: Record?) -> Record {
        var record = new
        record.metadata = copy?.metadata
        return record
    }
}

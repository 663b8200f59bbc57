import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Local changes that the remote database refuses.
extension SyncRound {
    /// Puts the changes that the remote database refuses into the list, and sends the others.
    mutating func reject(_ changes: [Change], _ error: any Error) async throws -> Bool {
        var reasons: [Record.ID: any Error] = [:]
        let failures = (error as? RecordDatabaseError)?.failures.filter { $0.value.isRefusal } ?? [:]
        let named = (error as? any ClassifiedError)?.recordID
        for change in changes {
            if isRefused { reasons[change.id] = error }
            if let failure = failures[change.id] { reasons[change.id] = failure }
            if failures.isEmpty, change.id == named { reasons[change.id] = error }
        }
        // Whatever record the error names, a single change cannot be sent in smaller batches.
        if changes.count == 1, reasons.isEmpty { reasons[changes[0].id] = error }
        // A batch without changes has only the library's own record: the database accepts no synchronization.
        if changes.isEmpty { throw error }
        if reasons.isEmpty { return try await sendHalves(of: changes) }
        let rejected = try await rejected()
        let sent = Set(changes.map(\.id))
        for change in changes where !isRefused && reasons[change.id] != nil && !regrouped.contains(change.id) {
            let group = try await companions(of: change, rejected)
            if group.count <= context.pushCount, !sent.isSuperset(of: group.keys) {
                regrouped.insert(change.id)
                let isFirstComplete = try await send(group)
                return try await sendAgain(changes.filter { group[$0.id] == nil }) && isFirstComplete
            }
        }
        for change in changes where !isRefused && change.record == nil {
            guard let reason = reasons[change.id], RecordDatabaseError.Code.stillReferenced ~= reason,
                context.options.rules.references == .cascade, let owned = try await deleteOwned(by: change)
            else { continue }
            let isFirstComplete = try await sendOwned(owned, before: change)
            return try await sendAgain(changes.filter { $0.id != change.id && !owned.contains($0.id) })
                && isFirstComplete
        }
        var batch = RecordBatch()
        for change in changes {
            guard let reason = reasons[change.id] else { continue }
            var entry =
                try rejected[change.id]
                ?? makeRejection(of: change.id)
            entry.reason = "\(reason)"
            entry.tag = change.record?.metadata?.changeTag ?? ""
            if change.record == nil, RecordDatabaseError.Code.stillReferenced ~= reason, let state = change.base.state {
                let record = try Record(id: change.id, fields: state.fields)
                entry.isRestored = true
                batch.saves.append(record)
                try await add(wantedClaims(of: record, remote: state.fields), to: &batch)
            }
            entry.attempts += 1
            // Longer pauses than after a lost connection: the reason seldom goes away by itself.
            let pause = context.environment.pause(afterFailures: entry.attempts + 6)
            entry.nextAttempt = context.environment.now().addingTimeInterval(pause.inSeconds)
            batch.saves.append(try entry.record())
        }
        var next = link
        next.hasRejected = true
        try await commit(batch, next)
        outcome.rejectedCount += reasons.count
        return try await sendAgain(changes.filter { reasons[$0.id] == nil })
    }

    /// A change with the pending changes of other records that it needs in its batch: they give up a value that it takes,
    /// or a reference to the record that it deletes.
    private func companions(
        of change: Change, _ rejected: [Record.ID: RejectedChange]
    ) async throws -> [Record.ID: Record?] {
        var group: [Record.ID: Record?] = [change.id: change.record]
        var open = [change]
        while let next = open.popLast() {
            let ids = try await blockers(of: next).filter { group[$0] == nil && context.isSynchronized($0) }.sorted()
            let (found, bases) = (try await context.localFeed.database.found(ids), try await bases(of: ids))
            for id in ids {
                guard let base = bases[id], !(found[id]?.fields).isSame(as: base.state?.fields) else { continue }
                if let change = rejected[id], change.nextAttempt > context.environment.now() { continue }
                group[id] = .some(found[id])
                open.append(Change(record: found[id], base: base))
            }
        }
        return group
    }

    /// The remote records that have a value which a change takes, or refer to the record that it deletes.
    private func blockers(of change: Change) async throws -> Set<Record.ID> {
        guard let record = change.record else {
            guard context.checksReferences else { return [] }
            return Set(try await context.remoteReads.referrers(of: [change.id]).values.joined().map(\.record))
        }
        let claims = try remoteClaims(of: record, over: change.base.state)
        let found = try await context.remoteReads.found(claims.map(\.recordID))
        return Set(found.values.compactMap { UniqueClaim($0)?.owner })
    }

    /// Deletes the local records that a deleted one owns in the remote database, and logs their contents.
    ///
    /// - Returns: Their IDs; nil without any, and if another record refers to the deleted one.
    private mutating func deleteOwned(by change: Change) async throws -> Set<Record.ID>? {
        let referrers = try await context.remoteReads.referrers(of: [change.id])[change.id] ?? []
        let ids = Set(referrers.map(\.record))
        let owned = Set(referrers.filter { $0.reference.action == .deleteSelf }.map(\.record))
            .filter(context.isSynchronized).sorted()
        let remote = try await context.remoteReads.found(owned)
        try await applyFound(remote.mapValues { .some($0.state) })
        let (found, bases) = (try await context.localFeed.database.found(owned), try await bases(of: owned))
        var (batches, deleted): ([RecordBatch], Set<Record.ID>) = ([], [])
        for part in owned.parts(of: context.localCount) {
            var batch = RecordBatch()
            for id in part {
                // A local change that was not sent is kept, and so is what it refers to.
                guard let local = found[id], let base = bases[id]?.state,
                    (local.fields as Record.Fields?).isSame(as: base.fields)
                else {
                    if found[id] == nil, bases[id]?.state != nil { deleted.insert(id) }
                    continue
                }
                deleted.insert(id)
                let loss = RecordPlan.Loss(kind: .localDeletion, fields: base.fields.map(\.name).sorted())
                let conflict = SyncConflict(
                    id: try Record.ID(type: context.names.conflictType, name: context.environment.makeName()),
                    recordID: id, loss: loss, base: nil, local: nil, remote: base.fields,
                    date: context.environment.now())
                batch.saves.append(try conflict.record())
                batch.deletions.append(RecordBatch.VersionedID(id, version: RecordBatch.Version(of: local)))
            }
            if !batch.isEmpty { batches.append(batch) }
        }
        if batches.isEmpty || deleted.count < ids.count { return nil }
        for batch in batches {
            try await commit(batch, link)
            outcome.deletedCount += batch.deletions.count
            outcome.conflictCount += batch.saves.count
        }
        return deleted
    }

    /// Sends the deletions of owned records with that of their owner, or before it if there are too many.
    private mutating func sendOwned(_ owned: Set<Record.ID>, before change: Change) async throws -> Bool {
        var deletions = Dictionary(uniqueKeysWithValues: owned.map { ($0, nil as Record?) })
        let owner: [Record.ID: Record?] = [change.id: nil]
        if owned.count < context.pushCount {
            deletions.merge(owner) { first, _ in first }
            return try await send(deletions)
        }
        outcome.isPartial = true
        let isFirstComplete = try await send(deletions)
        return try await send(owner) && isFirstComplete
    }

    mutating func sendHalves(of changes: [Change]) async throws -> Bool {
        let isFirstComplete = try await sendAgain(Array(changes.prefix(changes.count / 2)))
        return try await sendAgain(Array(changes.dropFirst(changes.count / 2))) && isFirstComplete
    }

    private mutating func sendAgain(_ changes: [Change]) async throws -> Bool {
        if changes.isEmpty { return true }
        var candidates: [Record.ID: Record?] = [:]
        for change in changes { candidates[change.id] = .some(change.record) }
        return try await send(candidates)
    }
}

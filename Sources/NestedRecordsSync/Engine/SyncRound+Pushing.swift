import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What has changed in the local database.
extension SyncRound {
    /// Sends the local changes; compares all records with their bases if there is no token for the changes.
    mutating func push() async throws {
        if try await pushChanges() == false { try await pushAll() }
        // The first push says that this replica exists, so that a restored remote database can be recognized.
        if link.settledNumber == 0, link.pushNumber == 0 { _ = try await send([] as [Change]) }
    }

    /// - Returns: False if the history since the token is gone.
    private mutating func pushChanges() async throws -> Bool {
        guard var token = link.pushed else { return false }
        var changes = try await dueChanges()
        while true {
            let page: RecordChanges
            do {
                page = try await context.localFeed.changes(since: token, limit: context.pageSize)
            } catch let error where error.expiry != nil {
                // A restored local database has its ledger in it, and pushes less than it had pushed.
                return false
            }
            for record in page.saved where context.isSynchronized(record.id) { changes[record.id] = .some(record) }
            for id in page.deleted where context.isSynchronized(id) { changes[id] = .some(nil) }
            let isLast = page.isComplete || page.isEmpty && page.token == token
            token = page.token
            guard isLast || changes.count >= context.pageSize else { continue }
            guard try await send(changes) else {
                outcome.isComplete = false
                return true
            }
            if link.pushed != token { (link.pushed, isDirty) = (token, true) }
            if isLast { return true }
            outcome.isPartial = true
            changes = [:]
            if try mustStop() { return true }
        }
    }

    private mutating func pushAll() async throws {
        let token = try await context.localFeed.changeToken()
        var isComplete = true
        let database = context.localFeed.database
        for type in try await types(of: database) {
            var name: String?
            repeat {
                if try mustStop() { return }
                let page = try await ListedPage(of: type, in: database, after: name, context)
                let found = try await database.found(page.ids)
                var changes: [Record.ID: Record?] = [:]
                for id in page.ids { changes[id] = .some(found[id]) }
                if try await send(changes) == false { isComplete = false }
                name = page.end
            } while name != nil
        }
        guard isComplete else {
            outcome.isComplete = false
            return
        }
        var next = link
        next.pushed = token
        try await commit(RecordBatch(), next)
    }

    /// The rejected changes that are to be sent again.
    private func dueChanges() async throws -> [Record.ID: Record?] {
        let now = context.environment.now()
        let due = try await rejected().values.filter { $0.nextAttempt <= now }.map(\.recordID)
        let found = try await context.localFeed.database.found(due)
        var changes: [Record.ID: Record?] = [:]
        for id in due { changes[id] = .some(found[id]) }
        return changes
    }

    // MARK: Sending

    /// A change to send: the local record, nil if it was deleted, and the base.
    private struct Change {
        let record: Record?
        var base: BaseRecord

        var id: Record.ID { base.id }
    }

    /// Sends those of some records that differ from their bases.
    ///
    /// - Returns: False if a record had changed in the remote database; it was merged, and has to be sent again.
    private mutating func send(_ candidates: [Record.ID: Record?]) async throws -> Bool {
        let ids = candidates.keys.sorted()
        let bases = try await bases(of: ids)
        let (rejected, now) = (try await rejected(), context.environment.now())
        func differs(_ id: Record.ID) -> Bool {
            !(candidates[id]??.fields).isSame(as: bases[id]?.state?.fields)
        }
        try await removeRejected(rejected.filter { candidates[$0.key] != nil && !differs($0.key) }, of: rejected)
        let changes = ids.compactMap { id -> Change? in
            let record = candidates[id] ?? nil
            guard let base = bases[id], differs(id) else { return nil }
            if let change = rejected[id], change.nextAttempt > now, change.tag == record?.metadata?.changeTag ?? "" {
                return nil
            }
            return Change(record: record, base: base)
        }
        if changes.isEmpty { return true }
        let parts = changes.parts(of: context.pushCount)
        if parts.count > 1 { outcome.isPartial = true }
        var isComplete = true
        for part in parts {
            try Task.checkCancellation()
            if try await send(Array(part)) == false { isComplete = false }
        }
        return isComplete
    }

    /// Removes changes from the list that were undone.
    private mutating func removeRejected(
        _ undone: [Record.ID: RejectedChange], of rejected: [Record.ID: RejectedChange]
    ) async throws {
        if undone.isEmpty { return }
        var batch = RecordBatch()
        batch.deletions = undone.values.map(\.deletion)
        try await commit(batch, link(link, rejecting: rejected, without: undone.keys))
    }

    /// Sends changes in one batch.
    private mutating func send(_ changes: [Change]) async throws -> Bool {
        let peer = try await checkPeer()
        let (intent, batch, next, landed) = try push(of: changes, after: peer)
        let isTooLarge =
            !context.local.limits.accepts(bytesOf: intent) || !context.remote.limits.accepts(bytesOf: batch)
        if isTooLarge, changes.count > 1 {
            outcome.isPartial = true
            return try await sendHalves(of: changes)
        }
        // The intent, before anything leaves.
        do {
            try await commit(intent, next)
        } catch Overtaken.records {
            throw Overtaken.link
        }
        let sent = try await Array(bases(of: link.inFlight).values)
        let saved: [Record.ID: Record.Metadata]
        do {
            saved = try await context.remote.commit(batch)
        } catch let error where error.isOvertaken || error.isRefusal {
            // A copy of the batch may still arrive, when its conditions hold.
            if try await hasLanded() {
                try await acknowledge(sent, nil)
                return true
            }
            try await forget(sent)
            return try await error.isOvertaken ? mergeRemote(changes) : reject(changes, error)
        }
        outcome.hasWritten = true
        self.peer = saved[landed.id].map { metadata in
            var landed = landed
            landed.metadata = metadata
            return landed
        }
        try await acknowledge(sent, saved)
        return true
    }

    private func push(
        of changes: [Change], after peer: PeerRecord?
    ) throws -> (intent: RecordBatch, batch: RecordBatch, next: LinkRecord, landed: PeerRecord) {
        var next = link
        (next.pushNumber, next.attempt) = (link.settledNumber + 1, context.environment.makeName())
        next.inFlight = changes.map(\.id)
        var (intent, batch) = (RecordBatch(), RecordBatch())
        for var change in changes {
            let tag = change.base.state?.tag
            if let record = change.record {
                change.base.sent = .contents(record.fields)
                batch.saves.append(try Record(record.id, record.fields, replacing: tag))
            } else {
                change.base.sent = .deletion
                batch.deletions.append(
                    RecordBatch.VersionedID(change.id, version: tag.map { .changeTag($0) } ?? .any))
            }
            intent.saves.append(try change.base.record(context.names))
        }
        let landed = PeerRecord(
            id: try context.names.peerID(of: next.replica), number: next.pushNumber, attempt: next.attempt,
            hasLanded: true, date: context.environment.now(), replacing: peer)
        batch.saves.append(try landed.record())
        return (intent, batch, next, landed)
    }

    /// Merges the remote states of records at once: the feed may bring nothing.
    ///
    /// - Returns: False: what is left of the changes has to be sent again.
    private mutating func mergeRemote(_ changes: [Change]) async throws -> Bool {
        let found = try await context.remoteFeed.database.found(changes.map(\.id))
        var states: [Record.ID: RemoteState?] = [:]
        for change in changes { states[change.id] = .some(found[change.id]?.state) }
        try await apply(states)
        return false
    }

    // MARK: Refused changes

    /// Puts the changes that the remote database refuses into the list, and sends the others.
    private mutating func reject(_ changes: [Change], _ error: any Error) async throws -> Bool {
        var reasons: [Record.ID: any Error] = [:]
        let failures = (error as? RecordDatabaseError)?.failures.filter { $0.value.isRefusal } ?? [:]
        let named = (error as? any ClassifiedError)?.recordID
        for change in changes {
            if let failure = failures[change.id] { reasons[change.id] = failure }
            if failures.isEmpty, change.id == named || changes.count == 1 { reasons[change.id] = error }
        }
        // A batch without changes has only the library's own record: the database accepts no synchronization.
        if changes.isEmpty { throw error }
        if reasons.isEmpty { return try await sendHalves(of: changes) }
        let rejected = try await rejected()
        var batch = RecordBatch()
        for change in changes {
            guard let reason = reasons[change.id] else { continue }
            var entry =
                try rejected[change.id]
                ?? RejectedChange(
                    id: Record.ID(type: context.names.rejectedType, name: context.environment.makeName()),
                    recordID: change.id)
            entry.reason = "\(reason)"
            entry.tag = change.record?.metadata?.changeTag ?? ""
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

    private mutating func sendHalves(of changes: [Change]) async throws -> Bool {
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

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

    /// The number of local changes that were not sent, without those that the remote database has refused; nil if nothing
    /// is sent, or if the local records were not compared yet.
    func pendingCount() async throws -> Int? {
        guard context.options.direction == .both, let pushed = link.pushed else { return nil }
        let database = context.localFeed.database
        let rejected = try await rejected()
        func count(_ ids: [Record.ID]) async throws -> Int {
            let (found, bases) = (try await database.found(ids), try await bases(of: ids))
            return ids.count { id in
                rejected[id] == nil && !(found[id]?.fields).isSame(as: bases[id]?.state?.fields)
            }
        }
        if let ids = try await changedLocalIDs(since: pushed) {
            return try await count(ids.filter(context.isSynchronized))
        }
        var total = 0
        for try await page in ListedPages(of: try await types(of: database), in: database, context) {
            total += try await count(page.ids)
        }
        return total
    }

    /// The changed records; nil if the history since the token is gone, or is that of another database.
    ///
    /// A restored or copied database has the bases in it, with which its records are compared.
    func changedLocalIDs(since token: ChangeToken) async throws -> [Record.ID]? {
        do {
            return try await context.localFeed.changedIDs(since: token).ids
        } catch let error where error.expiry != nil {
            return nil
        }
    }

    private mutating func pushAll() async throws {
        let token = try await context.localFeed.changeToken()
        var isComplete = true
        let database = context.localFeed.database
        for try await page in ListedPages(of: try await types(of: database), in: database, context) {
            if try mustStop() { return }
            let found = try await database.found(page.ids)
            var changes: [Record.ID: Record?] = [:]
            for id in page.ids { changes[id] = .some(found[id]) }
            if try await send(changes) == false { isComplete = false }
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
        let due = try await rejected().values.filter { change in
            change.nextAttempt <= now && !change.isRestored && context.isSynchronized(change.recordID)
        }.map(\.recordID)
        let found = try await context.localFeed.database.found(due)
        var changes: [Record.ID: Record?] = [:]
        for id in due { changes[id] = .some(found[id]) }
        return changes
    }

    // MARK: Sending

    /// A change to send: the local record, nil if it was deleted, and the base.
    struct Change {
        let record: Record?
        var base: BaseRecord

        var id: Record.ID { base.id }
    }

    /// Sends those of some records that differ from their bases.
    ///
    /// - Returns: False if a record had changed in the remote database; it was merged, and has to be sent again.
    mutating func send(_ candidates: [Record.ID: Record?]) async throws -> Bool {
        let ids = candidates.keys.sorted()
        let bases = try await bases(of: ids)
        let (rejected, now) = (try await rejected(), context.environment.now())
        func differs(_ id: Record.ID) -> Bool {
            !(candidates[id]??.fields).isSame(as: bases[id]?.state?.fields)
        }
        let undone = rejected.filter { id, change in
            candidates[id] != nil && !differs(id) && !(change.isRestored && candidates[id] ?? nil != nil)
        }
        try await removeRejected(undone, of: rejected)
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
    mutating func send(_ changes: [Change]) async throws -> Bool {
        let peer = try await checkPeer()
        let (intent, batch, next, landed): (RecordBatch, RecordBatch, LinkRecord, PeerRecord)
        do {
            (intent, batch, next, landed) = try push(of: changes, after: peer)
        } catch let error as RecordDatabaseError where error.code == .valueTaken {
            // Two of the changes have one value.
            return try await reject(changes, error)
        }
        let isTooLarge =
            !context.local.limits.accepts(bytesOf: intent) || !context.remote.limits.accepts(bytesOf: batch)
        if isTooLarge, changes.count > 1 {
            outcome.isPartial = true
            return try await sendHalves(of: changes)
        }
        // Contents may take long, and change no record.
        do {
            _ = try await batch.carryingAssets(by: ContentTransfer(context: context, isPull: false))
        } catch let error where error.isRefusal || error.isDamagedContent {
            // A content that is too large for the other side, or damaged, stops its record alone.
            return try await reject(changes, error)
        }
        // The intent, before any record leaves.
        do {
            try await commit(intent, next)
        } catch Overtaken.records {
            throw Overtaken.link
        }
        let sent = try await Array(bases(of: link.inFlight).values)
        let saved: [Record.ID: Record.Metadata]
        do {
            saved = try await batch.commitClaiming(in: context.remote)
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
        var claims: [UniqueClaim] = []
        for var change in changes {
            let tag = change.base.state?.tag
            if let record = change.record {
                change.base.sent = .contents(record.fields)
                var fields = record.fields
                for field in context.options.rules.serverTimes(ofType: change.id.type) {
                    guard case .date? = fields[field],
                        !fields[field].isSame(as: change.base.state?.fields[field])
                    else { continue }
                    fields[field] = .serverTimestamp
                    change.base.stamped.append(field)
                }
                batch.saves.append(try Record(record.id, fields, replacing: tag))
                claims += try remoteClaims(of: record, over: change.base.state)
            } else {
                change.base.sent = .deletion
                batch.deletions.append(
                    RecordBatch.VersionedID(change.id, version: tag.map { .changeTag($0) } ?? .any))
                if context.checksReferences { batch.allowedReferrers[change.id] = [] }
            }
            intent.saves.append(try change.base.record(context.names))
        }
        let landed = PeerRecord(
            id: try context.names.peerID(of: next.replica), number: next.pushNumber, attempt: next.attempt,
            hasLanded: true, date: context.environment.now(), replacing: peer)
        batch.saves.append(try landed.record())
        try batch.add(claims)
        return (intent, batch, next, landed)
    }

    /// Merges the remote states of records at once: the feed may bring nothing.
    ///
    /// - Returns: False: what is left of the changes has to be sent again.
    private mutating func mergeRemote(_ changes: [Change]) async throws -> Bool {
        let found = try await context.remoteReads.found(changes.map(\.id))
        var states: [Record.ID: RemoteState?] = [:]
        for change in changes { states[change.id] = .some(found[change.id]?.state) }
        try await applyFound(states)
        return false
    }
}

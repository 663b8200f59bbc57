import NestedRecords

/// The local records that may differ from their bases, and refer to others.
struct UnsentRecords {
    var ids: Set<Record.ID> = []

    /// The position in the local feed up to which the records are known; nil before the first look.
    var token: ChangeToken?
}

// What local changes refer to.
extension SyncRound {
    /// What becomes of records.
    ///
    /// A local change that was not sent is kept, and so is what it refers to: a record that the remote side has deleted
    /// returns if a local record refers to it, and the remote side does not know this reference. What was deleted in a batch
    /// before does not return.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - bases: The last states that both sides had.
    ///   - found: The local records.
    ///   - remote: The states in the remote database.
    mutating func plans(
        for ids: [Record.ID], _ bases: [Record.ID: RemoteState], _ found: [Record.ID: Record],
        _ remote: [Record.ID: RemoteState]
    ) async throws -> [Record.ID: RecordPlan] {
        var plans: [Record.ID: RecordPlan] = [:]
        for id in ids { plans[id] = plan(of: id, bases[id], found[id]?.fields, remote[id]) }
        var deleted: [Record.ID: Record] = [:]
        for (id, plan) in plans where plan.local == .delete { deleted[id] = found[id] }
        if deleted.isEmpty || link.start.side != nil || context.options.rules.references == .dangling { return plans }
        let unsent = try await unsentRecords(referringTo: deleted.keys)
        let others = unsent.filter { plans[$0] == nil }.sorted()
        let records = try await context.localFeed.database.found(others)
        let otherBases = try await self.bases(of: others)
        var open: [(record: Record, known: Record.Fields?)] = others.compactMap { id in
            records[id].map { ($0, otherBases[id]?.state?.fields) }
        }
        for id in unsent where deleted[id] == nil {
            guard let plan = plans[id], var record = found[id] else { continue }
            if case .save(let fields) = plan.local { record.fields = fields }
            open.append((record, remote[id]?.fields))
        }
        while let (record, known) = open.popLast() {
            var needed = Set(record.references.map(\.id))
            if let known { needed.subtract(try Record(id: record.id, fields: known).references.map(\.id)) }
            for id in needed {
                guard let target = deleted.removeValue(forKey: id) else { continue }
                plans[id]?.keepDeleted(target.fields)
                open.append((target, nil))
            }
        }
        return plans
    }

    /// The records that may have changes which were not sent, and may refer to some records.
    private mutating func unsentRecords(referringTo ids: some Collection<Record.ID>) async throws -> Set<Record.ID> {
        let rejected = Set(try await rejected().keys)
        if try await readUnsentRecords() { return unsent.ids.union(rejected) }
        let referrers = try await context.localFeed.database.referrers(of: Array(ids))
        return Set(referrers.values.joined().map(\.record)).filter(context.isSynchronized).union(rejected)
    }

    /// - Returns: False if all local records have to be compared with their bases.
    private mutating func readUnsentRecords() async throws -> Bool {
        guard var token = unsent.token ?? link.pushed else { return false }
        while true {
            let page: RecordChanges
            do {
                page = try await context.localFeed.changes(since: token, limit: context.pageSize)
            } catch let error where error.expiry != nil {
                return false
            }
            let saved = page.saved.filter { context.isSynchronized($0.id) }
            let bases = try await bases(of: saved.map(\.id))
            for record in saved {
                let isUnsent = !(bases[record.id]?.state?.fields).isSame(as: record.fields)
                if isUnsent, !record.references.isEmpty {
                    unsent.ids.insert(record.id)
                } else {
                    unsent.ids.remove(record.id)
                }
            }
            unsent.ids.subtract(page.deleted)
            let isLast = page.isComplete || page.isEmpty && page.token == token
            token = page.token
            unsent.token = token
            if isLast { return true }
        }
    }
}

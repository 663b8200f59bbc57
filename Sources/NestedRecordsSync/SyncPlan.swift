public import NestedRecords

/// What the next synchronization would do.
public struct SyncPlan: Sendable, Hashable {
    /// The records that would be saved in the local database.
    public internal(set) var saved: [Record.ID] = []

    /// The records that would be deleted in the local database.
    public internal(set) var deleted: [Record.ID] = []

    /// The local records that would be sent.
    public internal(set) var pushed: [Record.ID] = []

    /// The records whose deletions would be sent.
    public internal(set) var pushedDeletions: [Record.ID] = []

    /// The records with a conflict.
    public internal(set) var conflicts: [Record.ID] = []

    /// Whether nothing would be carried over.
    public var isEmpty: Bool { saved.isEmpty && deleted.isEmpty && pushed.isEmpty && pushedDeletions.isEmpty }
}

extension RecordSync {
    /// Returns what ``synchronize(until:)`` would do, without writing anything.
    ///
    /// What the remote database would refuse is not known before.
    ///
    /// - Returns: The plan; the IDs are sorted.
    /// - Throws: The errors of ``synchronize(until:)``.
    /// - Complexity: As that of ``synchronize(until:)``; the memory is in proportion to the changes.
    public func plan() async throws -> SyncPlan {
        let stored = try await context.localFeed.database.record(for: context.names.linkID()).map { try LinkRecord($0) }
        let link = try stored.flatMap { $0.isDetaching ? nil : $0 } ?? makeLink()
        var round = SyncRound(context, link: link)
        return try await round.plan()
    }
}

extension RecordSync {
    /// The link of a synchronization that has not begun.
    private func makeLink() throws -> LinkRecord {
        var link = LinkRecord(id: try context.names.linkID(), replica: "")
        (link.types, link.start) = (context.types, Start(context.options.firstSync))
        return link
    }
}

extension SyncRound {
    fileprivate mutating func plan() async throws -> SyncPlan {
        var plan = SyncPlan()
        let (rejected, now) = (try await rejected(), context.environment.now())
        for part in try await candidates().sorted().parts(of: context.pageSize) {
            try Task.checkCancellation()
            let ids = Array(part)
            let bases = try await bases(of: ids)
            let local = try await context.localFeed.database.found(ids)
            let remote = try await context.remoteReads.found(ids)
            let states = bases.compactMapValues { $0.acknowledged(remote[$0.id]?.fields) }
            let plans = try await plans(for: ids, states, local, remote.mapValues(\.state))
            for id in ids {
                guard let record = plans[id] else { continue }
                if record.loss != nil { plan.conflicts.append(id) }
                var result = local[id]?.fields
                switch record.local {
                case .keep: break
                case .save(let fields):
                    plan.saved.append(id)
                    result = fields
                case .delete:
                    plan.deleted.append(id)
                    result = nil
                }
                let isPostponed = rejected[id].map { change in
                    change.isRestored || change.nextAttempt > now && change.tag == local[id]?.metadata?.changeTag ?? ""
                }
                if context.options.direction == .pull || isPostponed == true || result.isSame(as: remote[id]?.fields) {
                    continue
                }
                if result != nil { plan.pushed.append(id) } else { plan.pushedDeletions.append(id) }
            }
        }
        return plan
    }

    /// The records that may have changed on one of the sides.
    private func candidates() async throws -> Set<Record.ID> {
        guard let pulled = link.pulled, let pushed = link.pushed, link.listing == nil, !link.mustList,
            link.types == context.types, let feed = context.remoteFeed,
            let remote = try await remoteIDs(in: feed, since: pulled), !remote.hasLeft,
            let local = try await changedLocalIDs(since: pushed)
        else { return try await differingIDs() }
        var ids = Set(remote.ids + local).union(link.inFlight).filter(context.isSynchronized)
        ids.formUnion(try await rejected().keys)
        return ids
    }

    /// The changed records; nil if the history since the token is gone.
    private func remoteIDs(
        in feed: any RecordFeed, since token: ChangeToken
    ) async throws -> (ids: [Record.ID], hasLeft: Bool)? {
        do {
            return try await feed.changedIDs(since: token)
        } catch let error {
            try error.checkGoesOnByComparing()
            return nil
        }
    }
}

extension BaseRecord {
    /// The base once a push in flight is settled: landed if the remote database has what was sent.
    fileprivate func acknowledged(_ remote: Record.Fields?) -> RemoteState? {
        switch sent {
        case .contents(let fields)? where remote.isSame(as: fields): RemoteState(fields: fields, tag: "")
        case .deletion? where remote == nil: nil
        default: state
        }
    }
}

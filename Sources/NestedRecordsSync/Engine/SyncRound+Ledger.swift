import NestedRecords

// What is done to the ledger between rounds.
extension SyncRound {
    /// A round that only reads.
    init(_ context: SyncContext, link: LinkRecord) {
        (self.context, self.link, deadline) = (context, link, nil)
    }

    /// Replaces a local record by that of the remote database, and forgets that its change was rejected.
    mutating func discard(_ id: Record.ID) async throws {
        try await settle()
        let rejected = try await rejected()
        guard let change = rejected[id], var base = try await bases(of: [id])[id] else { return }
        // The remote record of a type that was left out is not fetched again.
        let remote = context.isSynchronized(id) ? try await context.remoteReads.found([id])[id] : nil
        if remote != nil { try await noteReading() }
        let local = try await context.localFeed.database.record(for: id)
        var batch = RecordBatch()
        batch.deletions = [change.deletion]
        if let remote {
            batch.saves = [try Record(id: id, fields: remote.fields, metadata: local?.metadata)]
        } else if let local {
            batch.deletions.append(RecordBatch.VersionedID(id, version: RecordBatch.Version(of: local)))
        }
        base.state = remote?.state
        try base.add(to: &batch, context.names)
        if let remote { try await add(wantedClaims(of: remote, remote: remote.fields), to: &batch) }
        try await commit(batch, link(link, rejecting: rejected, without: [id]))
    }

    /// Deletes a record whose deletion was refused, so that the deletion is sent again.
    mutating func deleteAgain(_ change: RejectedChange) async throws {
        var batch = RecordBatch()
        batch.deletions = [change.deletion]
        if let record = try await context.localFeed.database.record(for: change.recordID) {
            batch.deletions.append(RecordBatch.VersionedID(record.id, version: RecordBatch.Version(of: record)))
        }
        let rejected = try await rejected()
        try await commit(batch, link(link, rejecting: rejected, without: [change.recordID]))
    }

    /// Removes the ledger, except the conflicts, and begins with an empty one.
    ///
    /// - Parameter start: What becomes of records that differ.
    mutating func detach(_ start: Start) async throws {
        var next = link
        // The call that goes on after an interruption begins so, too.
        (next.isDetaching, next.start) = (true, start)
        try await commit(RecordBatch(), next)
        let database = context.localFeed.database
        var types = try await database.storedTypes().filter { context.names.type(ofBases: $0) != nil }
        types.insert(context.names.rejectedType)
        let size = max(1, min(context.local.limits.batchCount - 1, context.pageSize))
        for type in types.sorted() {
            var count = 0
            while true {
                let limit = context.versionLimit(afterListing: count)
                let versions = try await database.versions(ofType: type, after: nil, limit: limit)
                if versions.isEmpty { break }
                count += versions.count
                for part in versions.parts(of: size) {
                    var batch = RecordBatch()
                    batch.deletions = Array(part)
                    try await commit(batch, link)
                }
            }
        }
        var new = LinkRecord(id: link.id, replica: context.environment.makeName())
        (new.metadata, new.types, new.start) = (link.metadata, context.types, start)
        try await commit(RecordBatch(), new)
        peer = nil
    }

    // MARK: Differences

    /// The records that differ although no round would change them.
    func unexplainedDifferences() async throws -> [Record.ID] {
        let candidates = try await differingIDs()
        if candidates.isEmpty { return [] }
        var explained = Set(try await rejected().keys)
        var mayHaveDeparted = false
        if let pulled = link.pulled, let feed = context.remoteFeed {
            let changed = try await feed.changedIDs(since: pulled)
            explained.formUnion(changed.ids)
            mayHaveDeparted = changed.hasLeft
        }
        if let pushed = link.pushed { explained.formUnion(try await context.localFeed.changedIDs(since: pushed).ids) }
        // What has changed during the comparison is in the feeds, or the same by now.
        var found = try await differences(of: candidates.subtracting(explained).sorted())
        if context.options.direction == .pull { found = try await withoutLocalChanges(found) }
        if !mayHaveDeparted { return found }
        // The contents of a container that the reader has left are not listed.
        let remaining = try await context.remoteReads.found(found)
        return found.filter { remaining[$0] != nil }
    }

    /// Leaves out the records with local changes, which are not sent, and those that will be pulled without a feed.
    private func withoutLocalChanges(_ ids: [Record.ID]) async throws -> [Record.ID] {
        let bases = try await bases(of: ids)
        let local = try await context.localFeed.database.found(ids)
        let remote = context.remoteFeed == nil ? try await context.remoteReads.found(ids) : [:]
        return ids.filter { id in
            let base = bases[id]?.state
            return (local[id]?.fields).isSame(as: base?.fields)
                && (context.remoteFeed != nil || remote[id]?.metadata?.changeTag == base?.tag)
        }
    }

    /// The records whose contents differ.
    func differingIDs() async throws -> Set<Record.ID> {
        let (local, remote) = (context.localFeed.database, context.remoteReads)
        var candidates: Set<Record.ID> = []
        for database in [local, remote] {
            for try await page in ListedPages(of: try await types(of: database), in: database, context) {
                try Task.checkCancellation()
                candidates.formUnion(try await differences(of: page.ids))
            }
        }
        return candidates
    }

    private func differences(of ids: [Record.ID]) async throws -> [Record.ID] {
        let local = try await context.localFeed.database.found(ids)
        let remote = try await context.remoteReads.found(ids)
        return ids.filter { !(local[$0]?.fields).isSame(as: remote[$0]?.fields) }
    }
}

extension RecordFeed {
    /// The IDs of the records that have changed since a token, and whether a reader has left containers, whose contents are
    /// not among them.
    func changedIDs(since token: ChangeToken) async throws -> (ids: [Record.ID], hasLeft: Bool) {
        var (ids, token, hasLeft): (Set<Record.ID>, ChangeToken, Bool) = ([], token, false)
        while true {
            let page = try await changes(since: token, limit: 1_000)
            ids.formUnion(page.saved.map(\.id) + page.deleted + page.departed + page.left)
            hasLeft = hasLeft || !page.left.isEmpty
            if page.isComplete || page.isEmpty && page.token == token { return (ids.sorted(), hasLeft) }
            token = page.token
        }
    }
}

import NestedRecords

// What became of a push.
extension SyncRound {
    /// Finds out what became of the last push, if that is not known.
    mutating func settle() async throws {
        guard link.pushNumber > link.settledNumber else { return }
        let bases = try await Array(bases(of: link.inFlight).values)
        if try await hasLanded() { try await acknowledge(bases, nil) } else { try await forget(bases) }
    }

    /// Whether the push in flight was applied; if not, makes sure that it never will be.
    ///
    /// A database that takes no changes any more takes no word about them either: the push is withdrawn then. If a copy of
    /// it is applied later, the record about this replica is ahead of the link, and all records are compared.
    mutating func hasLanded() async throws -> Bool {
        while true {
            try Task.checkCancellation()
            let found = try await readPeer()
            let number = found?.number ?? 0
            if let found, number == link.pushNumber, found.attempt == link.attempt { return found.hasLanded }
            if number >= link.pushNumber { try await becomeNewReplica() }
            if number < link.settledNumber { throw RecordDatabaseError.restored(Self.missingPush) }
            // Nothing is written to the remote database.
            if context.options.direction == .pull { return withdraw() }
            let void = PeerRecord(
                id: try context.names.peerID(of: link.replica), number: link.pushNumber, attempt: link.attempt,
                hasLanded: false, date: context.environment.now(), replacing: found)
            do {
                try await context.remote.commit(RecordBatch(saving: [try void.record()]))
                outcome.hasWritten = true
            } catch let error where error.isOvertaken {
                // The push may have been applied in the meantime.
            } catch let error where error.isRefusal {
                isRefused = true
                return withdraw()
            }
        }
    }

    /// Gives the number of the push in flight to the next one.
    ///
    /// - Returns: False: it was not applied.
    private mutating func withdraw() -> Bool {
        link.pushNumber = link.settledNumber
        return false
    }

    private static let missingPush = "it does not have the last push of this one"

    @discardableResult
    mutating func readPeer() async throws -> PeerRecord? {
        let id = try context.names.peerID(of: link.replica)
        let found = try await context.remoteReads.record(for: id).map { try PeerRecord($0) }
        peer = .some(found)
        return found
    }

    /// Reads the record about this replica, unless it is known, and checks that it is about the last push.
    mutating func checkPeer() async throws -> PeerRecord? {
        let found: PeerRecord?
        if let known = peer { found = known } else { found = try await readPeer() }
        let number = found?.number ?? 0
        if number < link.settledNumber { throw RecordDatabaseError.restored(Self.missingPush) }
        if number > link.settledNumber { try await becomeNewReplica() }
        return found
    }

    /// Goes on under another name: a copy of this database, or this one before it was restored, has pushed under this
    /// one.
    ///
    /// Always throws, so that the round begins again.
    private mutating func becomeNewReplica() async throws {
        var next = link
        next.replica = context.environment.makeName()
        (next.pushNumber, next.settledNumber, next.pulledNumber, next.attempt, next.inFlight) = (0, 0, 0, "", [])
        (next.mustList, next.listing, next.pushed) = (true, nil, nil)
        var batch = RecordBatch()
        for var base in try await bases(of: link.inFlight).values {
            (base.sent, base.stamped) = (nil, [])
            try base.add(to: &batch, context.names)
        }
        try await commit(batch, next)
        throw Overtaken.link
    }

    /// Makes what was sent the base.
    ///
    /// - Parameters:
    ///   - bases: The bases of the push.
    ///   - saved: The new versions; nil if they are not known.
    mutating func acknowledge(_ bases: [BaseRecord], _ saved: [Record.ID: Record.Metadata]?) async throws {
        let found = saved == nil ? try await context.remoteReads.found(bases.map(\.id)) : [:]
        let claimants = bases.map(\.id).filter { context.unique?.fieldsByType[$0.type] != nil }
        let locals = try await context.localFeed.database.found(claimants)
        var claims: [WantedClaim] = []
        let rejected = try await rejected()
        var batch = RecordBatch()
        var stamped: [Record.ID: RemoteState?] = [:]
        for var base in bases {
            // The remote database has accepted these values: no other local record keeps their claims.
            if case .contents(let fields)? = base.sent, let local = locals[base.id] {
                claims += wantedClaims(of: local, remote: fields).filter(\.isRemote)
            }
            switch base.sent {
            case .contents(let fields)? where !base.stamped.isEmpty:
                // The device's guess of the time is the base until the time of the remote database is merged.
                base.state = RemoteState(fields: fields, tag: "")
                if let metadata = saved?[base.id] {
                    var state = RemoteState(fields: fields, tag: metadata.changeTag)
                    for field in base.stamped { state.fields[field] = .date(metadata.modificationDate) }
                    stamped[base.id] = .some(state)
                } else {
                    stamped[base.id] = .some(found[base.id]?.state)
                }
            case .contents(let fields)?:
                let state = found[base.id]?.state
                let isUnchanged = (state?.fields).isSame(as: fields)
                base.state = RemoteState(
                    fields: fields, tag: saved?[base.id]?.changeTag ?? (isUnchanged ? state?.tag : nil) ?? "")
            case .deletion?: base.state = nil
            case nil: break
            }
            (base.sent, base.stamped) = (nil, [])
            try base.add(to: &batch, context.names)
            if let change = rejected[base.id] { batch.deletions.append(change.deletion) }
        }
        try await add(claims, to: &batch)
        var next = link(link, rejecting: rejected, without: bases.map(\.id))
        (next.settledNumber, next.inFlight) = (next.pushNumber, [])
        try await commit(batch, next)
        outcome.pushedCount += bases.count
        if !stamped.isEmpty { try await saved == nil ? applyFound(stamped) : apply(stamped) }
    }

    /// Gives up the push, which can no longer be applied.
    mutating func forget(_ bases: [BaseRecord]) async throws {
        var batch = RecordBatch()
        for var base in bases {
            (base.sent, base.stamped) = (nil, [])
            try base.add(to: &batch, context.names)
        }
        var next = link
        (next.settledNumber, next.inFlight) = (next.pushNumber, [])
        try await commit(batch, next)
    }
}

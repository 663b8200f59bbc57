import NestedRecords

// The claims of unique values: each side derives its own, in the batch of the records.
extension SyncRound {
    /// A claim on a value that a local record has.
    struct WantedClaim {
        let claim: UniqueClaim

        /// Whether the remote record has the value: then the local record gets the claim, also from another record.
        let isRemote: Bool
    }

    /// The claims that a record needs in the local database.
    ///
    /// - Parameters:
    ///   - record: The local record.
    ///   - remote: The fields of the remote record.
    func wantedClaims(of record: Record, remote: Record.Fields?) -> [WantedClaim] {
        guard let unique = context.unique else { return [] }
        let owner = remote.flatMap { try? Record(id: record.id, fields: $0) }
        return unique.claims(of: record).map { WantedClaim(claim: $0, isRemote: $0.isInForce(with: owner)) }
    }

    /// Adds claims to a batch for the local database.
    ///
    /// A record that loses a claim keeps its value, and its change is refused when it is pushed. A value that the remote
    /// database does not confirm yet takes no claim that is in force.
    func add(_ wanted: [WantedClaim], to batch: inout RecordBatch) async throws {
        var claims: [Record.ID: WantedClaim] = [:]
        for claim in wanted where claim.isRemote || claims[claim.claim.recordID] == nil {
            claims[claim.claim.recordID] = claim
        }
        if claims.isEmpty { return }
        let stored = try await context.localFeed.database.found(claims.keys.sorted())
        let formerClaims = stored.compactMapValues { UniqueClaim($0) }
        let unsure = claims.filter { !$0.value.isRemote }.compactMap { formerClaims[$0.key]?.owner }
        var owners = try await context.localFeed.database.found(Set(unsure).sorted())
        for record in batch.saves { owners[record.id] = record }
        for deletion in batch.deletions { owners[deletion.id] = nil }
        let named = Set(batch.saves.map(\.id) + batch.deletions.map(\.id))
        for (id, wanted) in claims.sorted(by: { $0.key < $1.key }) {
            let former = formerClaims[id]
            if let former, former.owner == wanted.claim.owner { continue }
            if let former, !wanted.isRemote {
                let owner = owners[former.owner]
                if former.isInForce(with: owner) { continue }
                if !named.contains(former.owner), !batch.conditions.contains(where: { $0.id == former.owner }) {
                    let version = owner.map { RecordBatch.Version(of: $0) } ?? .missing
                    batch.conditions.append(RecordBatch.VersionedID(former.owner, version: version))
                }
            }
            var record = wanted.claim.record
            record.metadata = stored[id]?.metadata
            batch.saves.append(record)
        }
    }

    /// Reads records again that have one unique value: they were read at different times.
    ///
    /// - Parameter changes: The states of records in the remote database; nil for deleted ones.
    /// - Returns: The states, and the position of the remote feed after some were read again.
    func settlingUniqueValues(
        _ changes: [Record.ID: RemoteState?]
    ) async throws -> (changes: [Record.ID: RemoteState?], position: ChangeToken?) {
        guard let unique = context.unique else { return (changes, nil) }
        var owners: [Record.ID: [Record.ID]] = [:]
        for (id, state) in changes {
            guard let state, let record = try? Record(id: id, fields: state.fields) else { continue }
            for claim in unique.claims(of: record) { owners[claim.recordID, default: []].append(id) }
        }
        let contested = Set(owners.values.filter { $0.count > 1 }.joined()).sorted()
        if contested.isEmpty { return (changes, nil) }
        var changes = changes
        let found = try await context.remoteReads.found(contested)
        for id in contested { changes[id] = .some(found[id]?.state) }
        return (changes, try await context.remoteFeed?.changeToken())
    }

    /// The claims that a push makes in the remote database.
    func remoteClaims(of record: Record, over base: RemoteState?) throws -> [UniqueClaim] {
        guard context.claimsRemotely, let unique = context.unique else { return [] }
        let former = try base.map { try Record(id: record.id, fields: $0.fields) }
        return unique.claims(of: record).filter { !$0.isInForce(with: former) }
    }
}

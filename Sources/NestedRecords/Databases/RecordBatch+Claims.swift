extension RecordBatch {
    /// Adds the claims of unique values to the records that are saved.
    ///
    /// - Throws: ``RecordDatabaseError`` with the code `valueTaken` if two of the records have one value.
    package mutating func add(_ claims: [UniqueClaim]) throws {
        var owners: [Record.ID: UniqueClaim] = [:]
        for claim in claims {
            if owners.updateValue(claim, forKey: claim.recordID) != nil { throw claim.taken() }
            saves.append(claim.record)
        }
    }

    /// Commits the batch; its claims take the place of claims that are no longer in force.
    ///
    /// A claim is inserted like any record. If the database has one of its name, its owner is read. A claim that is not in
    /// force is replaced, on the condition that the claim and its owner have not changed since.
    ///
    /// The claims have no versions.
    ///
    /// - Parameter database: The database with all records, not the part of it that a scope shows.
    /// - Returns: The new metadata of the records, without that of the claims.
    /// - Throws: ``RecordDatabaseError`` with the code `valueTaken` for a claim in force; the errors of
    ///   ``RecordDatabase/commit(_:)``.
    package func commitClaiming(in database: some RecordDatabase) async throws -> [Record.ID: Record.Metadata] {
        guard saves.contains(where: \.id.isUniqueClaim) else { return try await database.commit(self) }
        return try await RetryBudget.shared(database.retryPolicy) { try await tryCommitClaiming(in: database) }
    }

    private func tryCommitClaiming(in database: some RecordDatabase) async throws -> [Record.ID: Record.Metadata] {
        var settled = try await versioned(in: database)
        var attempt = 1
        while true {
            do {
                return try await database.commit(settled).filter { !$0.key.isUniqueClaim }
            } catch let error as RecordDatabaseError where error.isOvertaken && attempt < database.retryPolicy.attempts
            {
                guard let id = error.recordID else { throw error }
                if error.code == .conflict, let stored = error.serverRecord,
                    let position = settled.saves.firstIndex(where: { $0.id == id }),
                    id.isUniqueClaim, settled.saves[position].metadata == nil
                {
                    try await settled.settleClaim(at: position, over: stored, in: database)
                } else if savePolicy == .overwrite || !isNamed(id) || id.isUniqueClaim, RetryBudget.takeAttempt() {
                    // A record that was read here has changed since.
                    attempt += 1
                    try await RetryPause().wait(beforeAttempt: attempt)
                    settled = try await versioned(in: database)
                } else {
                    throw error
                }
            }
        }
    }

    private func isNamed(_ id: Record.ID) -> Bool {
        saves.contains { $0.id == id } || deletions.contains { $0.id == id } || conditions.contains { $0.id == id }
    }

    /// The batch with the versions that the database holds if it overwrites any: a claim must not be overwritten.
    package func versioned(in database: some RecordDatabase) async throws -> RecordBatch {
        guard savePolicy == .overwrite else { return self }
        let stored = try await database.recordsByID(for: saves.map(\.id).filter { !$0.isUniqueClaim })
        var batch = self
        batch.savePolicy = .ifUnchanged
        for position in batch.saves.indices {
            batch.saves[position].metadata = stored[batch.saves[position].id]?.metadata
        }
        return batch
    }

    /// Replaces the claim of a database, or keeps it if its owner is the same.
    private mutating func settleClaim(
        at position: Int, over stored: Record, in database: some RecordDatabase
    ) async throws {
        guard let claim = UniqueClaim(saves[position]) else { return }
        guard let former = UniqueClaim(stored), former.isForSameValue(as: claim) else {
            throw claim.taken(reason: "another program has changed the claim \(stored.id)")
        }
        if former.owner == claim.owner {
            saves.remove(at: position)
            conditions.append(VersionedID(stored.id, version: Version(of: stored)))
            return
        }
        let isInForce: Bool
        if let saved = saves.first(where: { $0.id == former.owner }) {
            isInForce = former.isInForce(with: saved)
        } else if deletions.contains(where: { $0.id == former.owner }) {
            isInForce = false
        } else {
            let owner = try await database.record(for: former.owner)
            isInForce = former.isInForce(with: owner)
            let condition = VersionedID(former.owner, version: owner.map { Version(of: $0) } ?? .missing)
            let known = conditions.firstIndex { $0.id == former.owner }
            if let known, conditions[known].version == .any { conditions[known] = condition }
            if known == nil { conditions.append(condition) }
        }
        if isInForce { throw claim.taken() }
        saves[position].metadata = stored.metadata
    }
}

extension UniqueClaim {
    fileprivate func taken(reason: String? = nil) -> RecordDatabaseError {
        RecordDatabaseError(.valueTaken, reason: reason, context: RecordContext(record: owner, field: field))
    }
}

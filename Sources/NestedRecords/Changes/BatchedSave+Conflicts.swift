extension BatchedSave {
    struct Conflicts {
        var merged: [Record.ID: Record] = [:]

        /// The database's records that already have the content of a record to save, which was skipped.
        var equal: [Record.ID: Record] = [:]

        var isEmpty: Bool { merged.isEmpty && equal.isEmpty }
    }

    /// Applies the batches that were not applied yet, and merges records of which the database holds another version.
    ///
    /// All conflicting records are merged, also after the closure has thrown for one, then everything is retried. Records
    /// that a merged record leads to are not deleted.
    ///
    /// - Returns: The outcome for the conflicting records.
    /// - Throws: `RecordDatabaseError.Code.conflict` with the last conflict when no attempt is left,
    ///   `RecordError.Code.identityChanged`, `CancellationError`, and errors of the closure and the
    ///   database; within `RecordDatabaseError.Code.partiallySaved` once a batch is saved.
    mutating func send(
        to database: some RecordDatabase, _ retries: RetryPolicy, pause: RetryPause = RetryPause(),
        isolation: isolated (any Actor)?,
        isNew: (Record.ID) -> Bool, ancestor: (_ client: Record, _ server: Record) -> Record?,
        merging merge: (SaveConflict) throws -> Record
    ) async throws -> Conflicts {
        guard retries.attempts > 1 else {
            return try await trySending(
                to: database, 1, pause, isolation: isolation, isNew: isNew, ancestor: ancestor, merge)
        }
        return try await RetryBudget.shared(retries, isolation: isolation) {
            try await trySending(
                to: database, retries.attempts, pause, isolation: isolation, isNew: isNew, ancestor: ancestor, merge)
        }
    }

    private mutating func trySending(
        to database: some RecordDatabase, _ maximumAttempts: Int, _ pause: RetryPause,
        isolation: isolated (any Actor)?, isNew: (Record.ID) -> Bool,
        ancestor: (_ client: Record, _ server: Record) -> Record?, _ merge: (SaveConflict) throws -> Record
    ) async throws -> Conflicts {
        var conflicts = Conflicts()
        var attempt = 1
        do {
            while true {
                do {
                    try await sendBatches(to: database)
                    return conflicts
                } catch let error as RecordDatabaseError where error.code == .conflict {
                    // Without a version, the merged record would overwrite a later change.
                    guard let server = error.serverRecord, server.metadata != nil, position(ofUnsaved: server.id) != nil
                    else { throw error }
                    var leftOut: Set<Record.ID> = []
                    var refusal: (any Error)?
                    // A database reports one conflict; a single fetch finds the others.
                    for server in try await database.presentRecords(for: unsaved.map(\.id)) {
                        guard let position = position(ofUnsaved: server.id),
                            savePolicy.isConflict(saving: records[position], over: server)
                        else { continue }
                        let client = records[position]
                        if !isNew(server.id), client.metadata == nil, client.isContained(in: server) {
                            try await keepTargets(of: server, besidesThoseOf: client, in: database)
                            conflicts.equal[server.id] = server
                            leftOut.insert(server.id)
                            continue
                        }
                        guard attempt < maximumAttempts else {
                            throw RecordDatabaseError(.conflict, .versions(client: client, server: server))
                        }
                        var record: Record
                        do {
                            record = try merge(
                                SaveConflict(
                                    client: client, server: server,
                                    ancestor: conflicts.merged[server.id] ?? ancestor(client, server)))
                        } catch {
                            // A form shows the conflicts of all records at once.
                            refusal = refusal ?? error
                            continue
                        }
                        if refusal != nil { continue }
                        guard record.id == server.id else {
                            throw RecordError.identityChanged(from: server.id, to: record.id)
                        }
                        try await keepTargets(of: record, besidesThoseOf: client, in: database)
                        record.metadata = server.metadata
                        replace(at: position, with: record)
                        conflicts.merged[server.id] = server
                    }
                    if let refusal { throw refusal }
                    if leftOut.isEmpty {
                        guard attempt < maximumAttempts, RetryBudget.takeAttempt() else { throw error }
                        attempt += 1
                        try await pause.wait(beforeAttempt: attempt)
                    } else {
                        leaveOut { leftOut.contains($0) }
                        try Task.checkCancellation()
                    }
                }
            }
        } catch {
            throw placed(error)
        }
    }
}

extension Record {
    fileprivate func isContained(in other: Record) -> Bool {
        fields.changes(from: other.fields).allSatisfy { $0.new == nil }
    }
}

extension BatchedSave {
    /// What became of the records that the database already held in another version.
    struct Conflicts {
        /// The database's versions that were merged with a record to save, by ID.
        var merged: [Record.ID: Record] = [:]

        /// The database's records that already have the content of a record to save, which was not sent.
        var equal: [Record.ID: Record] = [:]
    }

    /// Sends what has not been sent yet, and asks what to save instead where the database holds another version.
    ///
    /// All records in conflict are merged, then everything is tried again. What a merged record leads to is not
    /// deleted.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - maximumAttempts: How often to try at most where conflicts are merged.
    ///   - pause: What is between two attempts.
    ///   - isolation: The caller's isolation; the closures are called there.
    ///   - isNew: Whether a record must not be there yet. Any other record without a version that the database holds
    ///     with the same content is left as it is; nil where such records are in conflict as well.
    ///   - ancestor: The record that a record to save and the database's version were made from.
    ///   - merge: Gives the record to save in place of one in conflict, with the same ID.
    /// - Returns: What became of the records in conflict.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` with the last conflict when no attempt is left,
    ///   ``RecordChangeError/identityChanged(from:to:)``, `CancellationError`, what the closure and what the database
    ///   throws; within ``RecordDatabaseError/partiallySaved(_:underlyingError:)`` once a batch is saved.
    mutating func send(
        to database: some RecordDatabase, maximumAttempts: Int, pause: RetryPause = RetryPause(),
        isolation: isolated (any Actor)?,
        isNew: ((Record.ID) -> Bool)?, ancestor: (_ client: Record, _ server: Record) -> Record?,
        merging merge: (SaveConflict) async throws -> Record
    ) async throws -> Conflicts {
        var conflicts = Conflicts()
        var attempt = 1
        do {
            while true {
                do {
                    try await sendBatches(to: database)
                    return conflicts
                } catch let error as RecordDatabaseError where error.code == .conflict {
                    // Without a version the merged record would replace whatever is there by then.
                    guard let server = error.serverRecord, server.metadata != nil, position(ofUnsaved: server.id) != nil
                    else { throw error }
                    var leftOut: Set<Record.ID> = []
                    // A database reports one conflict; the others are found by one fetch.
                    for server in try await database.presentRecords(for: unsaved.map(\.id)) {
                        guard let position = position(ofUnsaved: server.id),
                            savePolicy.isConflict(saving: records[position], over: server)
                        else { continue }
                        let client = records[position]
                        if let isNew, !isNew(server.id), client.metadata == nil, client.isContained(in: server) {
                            try await keepTargets(of: server, besidesThoseOf: client, in: database)
                            conflicts.equal[server.id] = server
                            leftOut.insert(server.id)
                            continue
                        }
                        guard attempt < maximumAttempts else {
                            throw RecordDatabaseError.conflict(client: client, server: server)
                        }
                        var record = try await merge(
                            SaveConflict(
                                client: client, server: server,
                                ancestor: conflicts.merged[server.id] ?? ancestor(client, server)))
                        guard record.id == server.id else {
                            throw RecordChangeError.identityChanged(from: server.id, to: record.id)
                        }
                        try await keepTargets(of: record, besidesThoseOf: client, in: database)
                        record.metadata = server.metadata
                        replace(at: position, with: record)
                        conflicts.merged[server.id] = server
                    }
                    if leftOut.isEmpty {
                        guard attempt < maximumAttempts else { throw error }
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
    /// Whether another record has all fields of this one, and perhaps more.
    fileprivate func isContained(in other: Record) -> Bool {
        fields.changes(from: other.fields).allSatisfy { $0.new == nil }
    }
}

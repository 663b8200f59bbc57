extension RecordDatabase {
    /// Saves the records of a graph, and merges records of which the database holds another version.
    ///
    /// ```swift
    /// baseline = try await database.save(graph, changedFrom: baseline) { conflict in
    ///     conflict.merged { field in field.client }
    /// }
    /// ```
    ///
    /// All conflicting records are merged, then everything is retried. A record that was deleted in the meantime cannot
    /// be merged: ``RecordDatabaseError/unknownRecord(_:)`` is thrown.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - baseline: The records before the changes: only new and changed records are saved, as with
    ///     ``save(_:changedFrom:options:)``. Nil saves all records.
    ///   - options: The treatment of conflicts and of removed records, and the number of attempts.
    ///   - isolation: The caller's isolation; the closure is called there.
    ///   - merge: Returns the record to save in place of a conflicting one, with the same ID. It is saved as a new
    ///     version of the database's record. If that has changed again, the next conflict is between the merged record
    ///     and the new version, with the first version as the ancestor.
    /// - Returns: The graph as the database holds it, with the merged records: the baseline for the next save.
    /// - Throws: ``RecordDatabaseError/conflict(client:server:)`` with the last conflict when no attempt is left,
    ///   `RecordError.Code.identityChanged` for a merged record with another ID, `CancellationError` if
    ///   the task is cancelled between two attempts, errors of the closure, and otherwise the errors of
    ///   ``save(_:changedFrom:options:)``. After the first of several batches each error comes within
    ///   `RecordDatabaseError.Code.partiallySaved`.
    @discardableResult
    public func save(
        _ graph: RecordGraph, changedFrom baseline: RecordGraph? = nil, options: SaveOptions = SaveOptions(),
        isolation: isolated (any Actor)? = #isolation, merging merge: (SaveConflict) async throws -> Record
    ) async throws -> RecordGraph {
        var save = BatchedSave(
            graph, changedFrom: baseline, savePolicy: options.savePolicy,
            deletesRemovedRecords: options.deletesRemovedRecords)
        let conflicts = try await save.send(
            to: self, maximumAttempts: options.maximumAttempts, isolation: isolation, isNew: nil,
            ancestor: { baseline?.ancestor(of: $0, and: $1) }, merging: merge)
        let merged = save.records.filter { conflicts.merged[$0.id] != nil }
        return (merged.isEmpty ? graph : graph.replacing(merged)).updated(with: save.saved, from: baseline)
    }
}

extension RecordGraph {
    /// The common ancestor of two records: this graph's record, unless its version differs from both.
    ///
    /// If the database still holds this version, the record was not changed since.
    fileprivate func ancestor(of client: Record, and server: Record) -> Record? {
        guard let ancestor = self[client.id], let tag = ancestor.metadata?.changeTag else { return self[client.id] }
        return tag == client.metadata?.changeTag || tag == server.metadata?.changeTag ? ancestor : nil
    }

    /// This graph with some records replaced by others with the same IDs.
    fileprivate func replacing(_ others: [Record]) -> RecordGraph {
        var records = records
        for other in others {
            if let position = index.position(of: other.id, in: records) { records[position] = other }
        }
        return RecordGraph(roots: roots, records: records, index: index)
    }
}

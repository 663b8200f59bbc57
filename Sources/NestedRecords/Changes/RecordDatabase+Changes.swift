extension RecordDatabase {
    /// Saves the records of a graph: all of them, or those that are new or changed.
    ///
    /// All is saved in one batch; where it is more than ``batchLimit``, in several: targets before the records that
    /// point to them, deletions last. A graph without changes makes no call.
    ///
    /// A changed record without metadata is saved as a new version of the baseline's. If the database holds another
    /// version by now, the save is refused. Each record is sent whole: a field that the baseline has and the graph
    /// lacks is cleared, also one that the Swift type knows nothing of.
    /// ``update(_:named:options:isolation:_:)`` keeps those.
    ///
    /// After ``RecordDatabaseError/partiallySaved(_:underlyingError:)``, save the graph
    /// ``RecordGraph/updated(with:from:)`` with the error's metadata to go on.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - baseline: The records before they were changed: ``RecordDecoder/Resolution/graph``, or what was saved last.
    ///     Nil saves all.
    ///   - options: What to do where the database holds another version, and with records that were removed.
    /// - Returns: The new metadata of every record that was sent.
    /// - Throws: What ``commit(_:)`` throws, and nothing is saved; or, in a later one
    ///   of several batches, ``RecordDatabaseError/partiallySaved(_:underlyingError:)``. A changed record that
    ///   was deleted in the meantime is ``RecordDatabaseError/unknownRecord(_:)``.
    @discardableResult
    public func save(
        _ graph: RecordGraph, changedFrom baseline: RecordGraph? = nil, options: SaveOptions = SaveOptions()
    ) async throws -> [Record.ID: Record.Metadata] {
        var save = BatchedSave(
            graph, changedFrom: baseline, savePolicy: options.savePolicy ?? .automatic,
            deletesRemovedRecords: options.deletesRemovedRecords)
        try await save.send(to: self)
        return save.saved
    }
}

extension BatchedSave {
    /// What is new or changed in a graph, with the versions that it was made from; all of it without a baseline.
    init(
        _ graph: RecordGraph, changedFrom baseline: RecordGraph?, savePolicy: SavePolicy, deletesRemovedRecords: Bool
    ) {
        guard let baseline else {
            self.init(records: Array(graph), savePolicy: savePolicy)
            return
        }
        let difference = graph.difference(from: baseline)
        var records: [Record.ID: Record] = [:]
        for record in difference.added { records[record.id] = record }
        for change in difference.changed {
            var record = change.new
            record.metadata = record.metadata ?? change.old.metadata
            records[record.id] = record
        }
        self.init(
            records: graph.compactMap { records[$0.id] },
            deletions: deletesRemovedRecords
                ? difference.removed.reversed().map {
                    savePolicy == .overwrite ? RecordBatch.Deletion($0.id) : RecordBatch.Deletion(removing: $0)
                } : [],
            savePolicy: savePolicy)
    }
}

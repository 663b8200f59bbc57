extension RecordDatabase {
    /// Saves the records of a graph: all of them, or the new and changed ones.
    ///
    /// All changes are saved in one batch; if it exceeds ``batchLimit``, in several: targets before the records that
    /// point to them, deletions last. A graph without changes makes no call.
    ///
    /// A changed record without metadata is saved as a new version of the baseline's. The save fails if the database
    /// holds another version. Each record is saved as a whole: a field of the baseline that the graph lacks is removed,
    /// even if the Swift type does not know it. The saves of a ``RecordStore`` keep such fields.
    ///
    /// After `RecordDatabaseError.Code.partiallySaved`, save the graph
    /// ``RecordGraph/updated(with:from:)`` with the error's metadata to continue.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - baseline: The records before the changes: ``RecordDecoder/Resolution/graph``, or the last saved graph. Nil
    ///     saves all records.
    ///   - options: The treatment of conflicts and of removed records.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: Errors of ``commit(_:)``, in which case nothing is saved; after the first of several batches
    ///   `RecordDatabaseError.Code.partiallySaved`. A changed record that was deleted in the meantime
    ///   is ``RecordDatabaseError/unknownRecord(_:)``.
    @discardableResult
    public func save(
        _ graph: RecordGraph, changedFrom baseline: RecordGraph? = nil, options: SaveOptions = SaveOptions()
    ) async throws -> [Record.ID: Record.Metadata] {
        var save = BatchedSave(
            graph, changedFrom: baseline, savePolicy: options.savePolicy,
            deletesRemovedRecords: options.deletesRemovedRecords)
        try await save.send(to: self)
        return save.saved
    }
}

extension BatchedSave {
    /// The new and changed records of a graph, with the versions that they were made from; all records without a
    /// baseline.
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

extension RecordDatabase {
    /// Refuses a batch that no database can save: for implementations of
    /// ``modifyRecords(saving:deleting:savePolicy:)``.
    ///
    /// - Parameters:
    ///   - records: The records to save.
    ///   - ids: The records to delete.
    /// - Throws: ``RecordDatabaseError/batchTooLarge(count:limit:)`` if there are more than ``batchLimit``,
    ///   ``RecordDatabaseError/duplicateID(_:)`` if a record is saved or deleted twice, or both, and
    ///   ``RecordError/invalidKey(_:reason:context:)`` if a field has no name.
    public func checkBatch(saving records: [Record], deleting ids: [Record.ID]) throws {
        let count = records.count + ids.count
        guard count <= batchLimit else { throw RecordDatabaseError.batchTooLarge(count: count, limit: batchLimit) }
        var seen: Set<Record.ID> = []
        seen.reserveCapacity(records.count + ids.count)
        for record in records {
            guard seen.insert(record.id).inserted else { throw RecordDatabaseError.duplicateID(record.id) }
            try record.checkFieldNames()
        }
        for id in ids {
            guard seen.insert(id).inserted else { throw RecordDatabaseError.duplicateID(id) }
        }
    }

    /// The record with this ID.
    ///
    /// - Parameter id: The ID.
    /// - Returns: The record, nil if it is not there.
    /// - Throws: What ``records(for:)`` throws.
    public func record(for id: Record.ID) async throws -> Record? {
        try await records(for: [id])[id]
    }

    /// Saves the records of a graph: in one batch, or in several where the graph is larger than ``batchLimit``.
    ///
    /// Targets are saved before the records that point to them.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - savePolicy: What to do where the database holds another version.
    /// - Returns: The new metadata of every record.
    /// - Throws: What ``modifyRecords(saving:deleting:savePolicy:)`` throws, and nothing is saved; or, in a later one
    ///   of several batches, ``RecordDatabaseError/partiallySaved(_:underlyingError:)``.
    @discardableResult
    public func save(
        _ graph: RecordGraph, savePolicy: SavePolicy = .automatic
    ) async throws -> [Record.ID: Record.Metadata] {
        var save = BatchedSave(records: Array(graph), savePolicy: savePolicy)
        try await save.send(to: self)
        return save.saved
    }

    /// Deletes records: in one batch, or in several where there are more than ``batchLimit``.
    ///
    /// Records that are not there are deleted already. Records that refer to the deleted ones stay, whatever the
    /// ``Record/Reference/action`` of the reference; see ``delete(_:cascading:)-([Record.ID],_)``.
    ///
    /// - Parameter ids: The records' IDs, in the order in which to delete them; one that is named twice counts once.
    /// - Throws: What ``modifyRecords(saving:deleting:savePolicy:)`` throws, and nothing is deleted; or, in a later one
    ///   of several batches, ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``.
    public func delete(_ ids: [Record.ID]) async throws {
        let ids = Array(IDInterner(ids).ids)
        for batch in ids.batches(of: batchLimit) {
            do {
                _ = try await modifyRecords(saving: [], deleting: Array(batch), savePolicy: .automatic)
            } catch  where batch.startIndex > 0 {
                throw RecordDatabaseError.partiallyDeleted(
                    Array(ids[..<batch.startIndex]), underlyingError: error)
            }
        }
    }

    /// Deletes a record; one that is not there is deleted already.
    ///
    /// Records that refer to it stay; see ``delete(_:cascading:)-(Record.ID,_)``.
    ///
    /// - Parameter id: The record's ID.
    /// - Throws: What ``modifyRecords(saving:deleting:savePolicy:)`` throws.
    public func delete(_ id: Record.ID) async throws {
        try await delete([id])
    }
}

extension Array {
    /// The elements in pieces of the given size, the last one smaller.
    func batches(of limit: Int) -> [ArraySlice<Element>] {
        let size = Swift.max(1, Swift.min(limit, count))
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

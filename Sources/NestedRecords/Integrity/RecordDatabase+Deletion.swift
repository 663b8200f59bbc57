extension RecordDatabase {
    /// Finds out what deleting records would delete, and changes nothing.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; one that is named twice counts once.
    ///   - cascading: Whether the records that the deleted ones own go with them: those that refer to them with
    ///     ``Record/Reference/Action/deleteSelf``, and so on. A record with several owners is deleted with the
    ///     first.
    /// - Returns: The records that would be deleted and why, what is not there, what would dangle, and cycles.
    /// - Throws: What ``records(ofType:)`` throws, and `CancellationError` if the task is cancelled.
    /// - Complexity: Two passes over all records. The memory is in proportion to the owning references in the
    ///   database, and to the records to delete and the references in them.
    public func deletionPlan(for ids: [Record.ID], cascading: Bool = true) async throws -> DeletionPlan {
        var planner = DeletionPlanner(deleting: ids)
        try await forEachRecord { planner.collectOwners(of: $0) }
        planner.findDeletions(cascading: cascading)
        try await forEachRecord { planner.collectReferences(of: $0) }
        return planner.makePlan()
    }

    /// Finds out what deleting a record would delete, and changes nothing.
    ///
    /// - Parameters:
    ///   - id: The record to delete.
    ///   - cascading: Whether the records that it owns go with it.
    /// - Returns: The records that would be deleted and why, what is not there, what would dangle, and cycles.
    /// - Throws: As ``deletionPlan(for:cascading:)-([Record.ID],_)``.
    /// - Complexity: As ``deletionPlan(for:cascading:)-([Record.ID],_)``.
    public func deletionPlan(for id: Record.ID, cascading: Bool = true) async throws -> DeletionPlan {
        try await deletionPlan(for: [id], cascading: cascading)
    }

    /// Deletes records, and if asked the records that they own.
    ///
    /// A record is owned by the targets of its references with ``Record/Reference/Action/deleteSelf``. Without
    /// cascading, records that refer to the deleted ones stay. With cascading, deleting an owner deletes the record and,
    /// recursively, everything it owns, including records whose owner is already gone.
    ///
    /// Everything is deleted in one batch, or, where there is more than ``batchLimit``, in several: without cascading in
    /// the order of the IDs, with cascading in the order of ``DeletionPlan/deletions``, so that a deletion that was
    /// interrupted can be repeated.
    ///
    /// With cascading, what to delete is found out first. A record that is saved meanwhile, or whose references are
    /// changed, is treated as it was found: if it is owned by a deleted record now, it stays behind and
    /// ``danglingReferences()`` reports it; repeating the deletion deletes it. A record that was found to be owned is
    /// deleted whatever was saved to it since.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; repetitions count once. Deleting a missing record has no effect.
    ///   - cascading: Whether the records that they own are deleted too.
    /// - Returns: The deleted IDs, in the order of the deletion. Without cascading these are the given IDs, each once,
    ///   whether or not their records were there: nothing is fetched to find that out. With cascading these are the
    ///   records that were there.
    /// - Throws: What ``records(ofType:)`` and ``commit(_:)`` throw, and nothing is
    ///   deleted; or, in a later one of several batches, ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``.
    ///   With cascading also `CancellationError` if the task is cancelled before the first batch.
    /// - Complexity: Without cascading, one call for each batch. With cascading, one pass over all records before, two
    ///   where there is more than one batch; the memory is that of ``deletionPlan(for:cascading:)-([Record.ID],_)``.
    @discardableResult
    public func delete(_ ids: [Record.ID], cascading: Bool = false) async throws -> [Record.ID] {
        let deleted = cascading ? try await ownedRecords(of: ids) : Array(IDInterner(ids).ids)
        try await deleteInBatches(deleted)
        return deleted
    }

    /// Deletes a record, and if asked the records that it owns.
    ///
    /// - Parameters:
    ///   - id: The record to delete. Deleting a missing record has no effect.
    ///   - cascading: Whether the records that it owns are deleted too.
    /// - Returns: The deleted IDs, in the order of the deletion; without cascading the given ID.
    /// - Throws: As ``delete(_:cascading:)-([Record.ID],_)``.
    /// - Complexity: As ``delete(_:cascading:)-([Record.ID],_)``.
    @discardableResult
    public func delete(_ id: Record.ID, cascading: Bool = false) async throws -> [Record.ID] {
        try await delete([id], cascading: cascading)
    }

    /// The records with these IDs that are there, and everything they own, in the order in which to delete them.
    private func ownedRecords(of ids: [Record.ID]) async throws -> [Record.ID] {
        var planner = DeletionPlanner(deleting: ids)
        try await forEachRecord { planner.collectOwners(of: $0) }
        planner.findDeletions(cascading: true)
        // One batch needs no order.
        if planner.count > batchLimit { try await forEachRecord { planner.collectReferences(of: $0) } }
        return planner.makePlan().ids
    }
}

extension RecordDatabase {
    /// Finds out what deleting records would delete, and changes nothing.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; one that is named twice counts once.
    ///   - cascading: Whether the records that the deleted ones own go with them: those that refer to them with
    ///     ``Record/Reference/Action/deleteSelf``, and so on. A record with several owners goes with the first.
    /// - Returns: The records that would be deleted and why, what is not there, what would dangle, and rings.
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
    /// - Returns: The records that would be deleted and why, what is not there, what would dangle, and rings.
    /// - Throws: As ``deletionPlan(for:cascading:)-([Record.ID],_)``.
    /// - Complexity: As ``deletionPlan(for:cascading:)-([Record.ID],_)``.
    public func deletionPlan(for id: Record.ID, cascading: Bool = true) async throws -> DeletionPlan {
        try await deletionPlan(for: [id], cascading: cascading)
    }

    /// Deletes records, and with them the records that they own.
    ///
    /// A record is owned by the targets of its references with ``Record/Reference/Action/deleteSelf``; it goes when
    /// one of them goes, and takes along what it owns itself. What a record owned that is not there any more goes too.
    ///
    /// Everything is deleted in one batch, or, where there is more than ``batchLimit``, in several, in the order of
    /// ``DeletionPlan/deletions``: a deletion that was interrupted can be repeated.
    ///
    /// What to delete is found out first. A record that somebody saves meanwhile, or whose references somebody
    /// changes, is treated as it was found: if it is owned by a deleted record now, it stays behind and
    /// ``danglingReferences()`` tells of it; repeating the deletion deletes it. A record that was found to be owned is
    /// deleted whatever was saved to it since.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; one that is named twice counts once. Those that are not there are deleted
    ///     already.
    ///   - cascading: Whether the records that they own go with them.
    /// - Returns: The records that were deleted, in the order in which that was done.
    /// - Throws: What ``records(ofType:)``, ``records(for:)`` and ``modifyRecords(saving:deleting:savePolicy:)`` throw,
    ///   and nothing is deleted; or, in a later one of several batches,
    ///   ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``.
    /// - Complexity: One pass over all records, two where there is more than one batch; without cascading, one call
    ///   of ``records(for:)`` for each batch instead. The memory is that of
    ///   ``deletionPlan(for:cascading:)-([Record.ID],_)``, without cascading that of the records to delete.
    @discardableResult
    public func delete(_ ids: [Record.ID], cascading: Bool) async throws -> [Record.ID] {
        var planner = DeletionPlanner(deleting: ids)
        if cascading {
            try await forEachRecord { planner.collectOwners(of: $0) }
            planner.findDeletions(cascading: true)
            // One batch needs no order.
            if planner.count > batchLimit { try await forEachRecord { planner.collectReferences(of: $0) } }
        } else {
            let found = try await presentRecords(for: Array(IDInterner(ids).ids))
            for record in found { planner.collectOwners(of: record) }
            planner.findDeletions(cascading: false)
            for record in found { planner.collectReferences(of: record) }
        }
        let deleted = planner.makePlan().ids
        try await delete(deleted)
        return deleted
    }

    /// Deletes a record, and with it the records that it owns.
    ///
    /// - Parameters:
    ///   - id: The record to delete.
    ///   - cascading: Whether the records that it owns go with it.
    /// - Returns: The records that were deleted, in the order in which that was done.
    /// - Throws: As ``delete(_:cascading:)-([Record.ID],_)``.
    /// - Complexity: As ``delete(_:cascading:)-([Record.ID],_)``.
    @discardableResult
    public func delete(_ id: Record.ID, cascading: Bool) async throws -> [Record.ID] {
        try await delete([id], cascading: cascading)
    }
}

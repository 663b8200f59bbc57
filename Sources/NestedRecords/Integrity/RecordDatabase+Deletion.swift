extension RecordDatabase {
    /// Plans a deletion of records, without changing anything.
    ///
    /// ``delete(_:)-(DeletionPlan)`` carries out the plan. The deletion with the same arguments makes the same plan.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; repetitions count once.
    ///   - cascading: Whether to delete the records that the deleted ones own: those that refer to them with
    ///     ``Record/Reference/Action/deleteSelf``, and so on. A record with several owners is deleted with the first.
    ///   - contents: The treatment of the records that the deleted ones refer to.
    ///   - outsideReferences: The treatment of references from remaining records.
    /// - Returns: The plan, with the reason for each deletion, missing records, references that would dangle, and
    ///   cycles.
    /// - Throws: Errors of ``records(ofType:)``, and `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records, and a fetch of the records to delete and of those that refer to them.
    ///   The memory is in proportion to the IDs and references of all records, and to the fetched records. A database
    ///   that stores the references back to its records, such as ``InMemoryRecordDatabase``, needs no pass.
    public func deletionPlan(
        for ids: [Record.ID], cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> DeletionPlan {
        try await deletionPlan(for: ids, cascading, contents, outsideReferences, findsOutsideReferences: true)
    }

    /// Plans a deletion of a record, without changing anything.
    ///
    /// - Parameters:
    ///   - id: The record to delete.
    ///   - cascading: Whether to delete the records that it owns.
    ///   - contents: The treatment of the records that it refers to.
    ///   - outsideReferences: The treatment of references from remaining records.
    /// - Returns: The plan, with the reason for each deletion, missing records, references that would dangle, and
    ///   cycles.
    /// - Throws: As ``deletionPlan(for:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    /// - Complexity: As ``deletionPlan(for:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    public func deletionPlan(
        for id: Record.ID, cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> DeletionPlan {
        try await deletionPlan(
            for: [id], cascading: cascading, contents: contents, outsideReferences: outsideReferences)
    }

    /// Deletes records, and optionally the records that they own and contain.
    ///
    /// A record is owned by the targets of its references with ``Record/Reference/Action/deleteSelf``. Without
    /// cascading, records that refer to the deleted ones stay. With cascading, deleting an owner deletes the record and,
    /// recursively, everything it owns, including records whose owner is already gone.
    ///
    /// All records are deleted in one batch; if it exceeds ``batchLimit``, in several: in the order of the IDs, or of
    /// ``DeletionPlan/deletions``, so that an interrupted deletion can be repeated.
    ///
    /// If more than the given records is to be deleted or changed, a plan is made first. If one of its records changes
    /// before it is deleted, a new plan is made. A record that is saved during the deletion, and refers to a deleted
    /// one, remains, and ``danglingReferences()`` reports it; repeating the deletion deletes it if it is owned.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; repetitions count once. Deleting a missing record has no effect.
    ///   - cascading: Whether to delete the records that they own.
    ///   - contents: The treatment of the records that they refer to.
    ///   - outsideReferences: The treatment of references from remaining records.
    /// - Returns: The deleted IDs, in the order of the deletion. Without a plan, these are the given IDs, each once,
    ///   whether or not their records existed, since nothing is fetched. With a plan, these are the records that
    ///   existed.
    /// - Throws: Errors of ``records(ofType:)`` and ``commit(_:)``, in which case nothing is deleted; after the first
    ///   of several batches ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``.
    ///   ``RecordDatabaseError/stillReferenced(_:)`` if outside references prevent the deletion. With a plan also
    ///   `CancellationError` if the task is cancelled before the first batch.
    /// - Complexity: One call for each batch. With a plan, that of
    ///   ``deletionPlan(for:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)`` in addition.
    @discardableResult
    public func delete(
        _ ids: [Record.ID], cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> [Record.ID] {
        guard cascading || contents != .kept || outsideReferences != .dangle else {
            let ids = Array(IDInterner(ids).ids)
            try await deleteInBatches(ids)
            return ids
        }
        return try await deleteAsPlanned(ids, cascading, contents, outsideReferences)
    }

    /// Deletes records as a plan says; makes another plan if one of them has changed since.
    func deleteAsPlanned(
        _ ids: [Record.ID], _ cascading: Bool, _ contents: DeletionContents, _ outsideReferences: OutsideReferences
    ) async throws -> [Record.ID] {
        var attempt = 1
        while true {
            let plan = try await deletionPlan(
                for: ids, cascading, contents, outsideReferences, findsOutsideReferences: outsideReferences != .dangle)
            do {
                return try await delete(plan)
            } catch let error as RecordDatabaseError where error.isOvertaken && attempt < 10 {
                attempt += 1
            }
        }
    }

    /// Deletes a record, and optionally the records that it owns and contains.
    ///
    /// - Parameters:
    ///   - id: The record to delete. Deleting a missing record has no effect.
    ///   - cascading: Whether to delete the records that it owns.
    ///   - contents: The treatment of the records that it refers to.
    ///   - outsideReferences: The treatment of references from remaining records.
    /// - Returns: The deleted IDs, in the order of the deletion; without a plan, the given ID.
    /// - Throws: As ``delete(_:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    /// - Complexity: As ``delete(_:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    @discardableResult
    public func delete(
        _ id: Record.ID, cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> [Record.ID] {
        try await delete([id], cascading: cascading, contents: contents, outsideReferences: outsideReferences)
    }

    /// Carries out a plan, unless one of its records has changed since the plan was made.
    ///
    /// A record that was deleted since then does not count as changed.
    ///
    /// - Parameter plan: The plan.
    /// - Returns: The IDs of the plan.
    /// - Throws: ``RecordDatabaseError/versionMismatch(_:expected:server:)`` or
    ///   ``RecordDatabaseError/conflict(client:server:)`` if a record has changed, in which case nothing is deleted;
    ///   otherwise errors of ``commit(_:)``; after the first of several batches
    ///   ``RecordDatabaseError/partiallyDeleted(_:underlyingError:)``; and ``RecordDatabaseError/stillReferenced(_:)``
    ///   if outside references prevent the deletion.
    @discardableResult
    public func delete(_ plan: DeletionPlan) async throws -> [Record.ID] {
        if plan.outsideReferences == .deny, !plan.dangling.isEmpty {
            throw RecordDatabaseError.stillReferenced(plan.dangling)
        }
        try await BatchedSave(
            records: plan.cleared,
            deletions: plan.deletions.map { RecordBatch.Deletion($0.id, version: $0.version) }, savePolicy: .ifUnchanged
        )
        .delete(in: self)
        return plan.ids
    }

    private func deletionPlan(
        for ids: [Record.ID], _ cascading: Bool, _ contents: DeletionContents, _ outsideReferences: OutsideReferences,
        findsOutsideReferences: Bool
    ) async throws -> DeletionPlan {
        let (contents, versions) = contents == .unshared ? try await self.contents(of: ids) : ([], [:])
        var planner = DeletionPlanner(deleting: ids, contents: contents, versions: versions)
        let lookup: any ReferenceLookup =
            if let database = self as? any ReferenceLookup { database } else { try await references() }
        var concerned = IDInterner(ids + contents.map(\.id))
        if cascading { concerned.insert(try await lookup.owned(by: Array(concerned.ids))) }
        // Contents stay if remaining records refer to them.
        if !contents.isEmpty { concerned.insert(try await lookup.recordsReferring(to: contents.map(\.id))) }
        // The records are read again, since they may have changed since the look-up.
        let records = try await presentRecords(for: Array(concerned.ids))
        for record in records { planner.collectOwners(of: record) }
        planner.findDeletions(cascading: cascading)
        for record in records { planner.collectReferences(ofDeleted: record) }
        if findsOutsideReferences {
            for record in try await presentRecords(for: lookup.recordsReferring(to: planner.ids)) {
                planner.collectOutsideReferences(of: record, clearing: outsideReferences == .clear)
            }
        }
        return planner.makePlan(outsideReferences)
    }

    /// The records that references from some records lead to, links not counted, and the versions of all of them.
    private func contents(
        of ids: [Record.ID]
    ) async throws -> ([DeletionPlanner.Content], [Record.ID: RecordBatch.Version]) {
        var met = IDInterner(ids)
        var found: [DeletionPlanner.Content] = []
        var versions: [Record.ID: RecordBatch.Version] = [:]
        var records = try await presentRecords(for: Array(met.ids))
        while !records.isEmpty {
            var next: [DeletionPlanner.Content] = []
            for record in records {
                versions[record.id] = RecordBatch.Deletion(removing: record).version
                var walk = ReferenceWalk(record.fields)
                while let reference = walk.next() {
                    guard !reference.isLink, met.number(of: reference.id) == nil else { continue }
                    met.insert(reference.id)
                    next.append(.init(id: reference.id, container: record.id, path: walk.path.pathText))
                }
            }
            records = try await presentRecords(for: next.map(\.id))
            let present = Set(records.map(\.id))
            found += next.filter { present.contains($0.id) }
        }
        return (found, versions)
    }
}

extension RecordDatabase {
    package func deletionPlan(
        for ids: [Record.ID], _ options: DeletionOptions = [], findsOutsideReferences: Bool = true
    ) async throws -> DeletionPlan {
        let cascading = options.contains(.cascading)
        let (contents, versions) = options.contains(.contents) ? try await self.contents(of: ids) : ([], [:])
        var planner = DeletionPlanner(deleting: ids, contents: contents, versions: versions)
        let lookup: any ReferenceLookup =
            if let database = self as? any ReferenceLookup {
                database
            } else if cascading || !contents.isEmpty || findsOutsideReferences {
                try await references()
            } else {
                ReferenceTable()
            }
        var concerned = IDInterner(ids + contents.map(\.id))
        if cascading { concerned.insert(try await lookup.owned(by: Array(concerned.ids))) }
        // Contents stay if remaining records refer to them.
        if !contents.isEmpty { concerned.insert(try await lookup.recordsReferring(to: contents.map(\.id))) }
        // The records are read again, since they may have changed since the look-up.
        for record in try await presentRecords(for: Array(concerned.ids)) { planner.examine(record) }
        let deleted = planner.findDeletions(cascading: cascading)
        if findsOutsideReferences {
            for record in try await presentRecords(for: lookup.recordsReferring(to: deleted)) {
                planner.collectOutsideReferences(
                    of: record, clearing: options.contains(.clearing) && !options.contains(.dangling))
            }
        }
        return planner.makePlan(options)
    }

    /// Deletes records.
    ///
    /// A record is owned by the targets of its references with ``Record/Reference/Action/deleteSelf``. With
    /// ``DeletionOptions/cascading``, deleting an owner deletes the record and, recursively, everything it owns,
    /// including records whose owner is already gone.
    ///
    /// All records are deleted in one batch; if it exceeds ``batchLimit``, in several: in the order of
    /// ``DeletionPlan/ids``, so that an interrupted deletion can be repeated. If one of the records changes
    /// before it is deleted, a new plan is made. A record that is saved during the deletion, and refers to a deleted
    /// one, remains, and ``danglingReferences()`` reports it.
    ///
    /// To delete records whatever refers to them, in one call, commit a batch: ``commit(_:)``.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; repetitions count once. Deleting a missing record has no effect.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The IDs of the deleted records, in the order of the deletion.
    /// - Throws: Errors of ``records(ofType:)`` and ``commit(_:)``, in which case nothing is deleted; after the first
    ///   of several batches `RecordDatabaseError.Code.partiallyDeleted`.
    ///   `RecordDatabaseError.Code.stillReferenced` if references from other records prevent the deletion;
    ///   `CancellationError` if the task is cancelled before the first batch.
    /// - Complexity: One pass over all records, a fetch of the records to delete and of those that refer to them, and one
    ///   call for each batch. The memory is in proportion to the IDs and references of all records, and to the fetched
    ///   records. A database that stores the references back to its records, such as ``InMemoryRecordDatabase``, needs no
    ///   pass, nor does a deletion with ``DeletionOptions/dangling`` alone.
    @discardableResult
    public func delete(_ ids: [Record.ID], _ options: DeletionOptions = []) async throws -> [Record.ID] {
        var attempt = 1
        while true {
            let plan = try await deletionPlan(
                for: ids, options, findsOutsideReferences: !options.contains(.dangling))
            do {
                return try await delete(plan)
            } catch let error as RecordDatabaseError where error.isOvertaken && attempt < 10 {
                attempt += 1
            }
        }
    }

    /// Carries out a plan, unless one of its records has changed since the plan was made.
    ///
    /// A record that was deleted since then does not count as changed.
    @discardableResult
    package func delete(_ plan: DeletionPlan) async throws -> [Record.ID] {
        if plan.options.isDisjoint(with: [.dangling, .clearing]), !plan.dangling.isEmpty {
            throw RecordDatabaseError.stillReferenced(plan.dangling)
        }
        try await BatchedSave(records: plan.cleared, deletions: plan.deletions, savePolicy: .ifUnchanged)
            .delete(in: self)
        return plan.ids
    }

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
                versions[record.id] = RecordBatch.VersionedID(removing: record).version
                var walk = ReferenceWalk(record.fields)
                while let reference = walk.next() {
                    guard !reference.isLink, met.number(of: reference.id) == nil else { continue }
                    met.insert(reference.id)
                    next.append(.init(id: reference.id, container: record.id))
                }
            }
            records = try await presentRecords(for: next.map(\.id))
            let present = Set(records.map(\.id))
            found += next.filter { present.contains($0.id) }
        }
        return (found, versions)
    }
}

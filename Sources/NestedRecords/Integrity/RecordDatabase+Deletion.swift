extension RecordDatabase {
    package func deletionPlan(
        for ids: [Record.ID], _ options: DeletionOptions = [], findsOutsideReferences: Bool = true
    ) async throws -> DeletionPlan {
        let cascading = options.contains(.cascading)
        let (contents, versions) = options.contains(.contents) ? try await self.contents(of: ids) : ([], [:])
        var planner = DeletionPlanner(deleting: ids, contents: contents, versions: versions)
        var concerned = IDInterner(ids + contents.map(\.id))
        if cascading || !contents.isEmpty || findsOutsideReferences {
            var open = Array(concerned.ids)
            var others = IDInterner([])
            while !open.isEmpty {
                let referrers = try await referrers(of: open)
                let found = open.flatMap { referrers[$0] ?? [] }
                others.insert(found.map(\.record))
                open = found.filter { cascading && $0.reference.action == .deleteSelf }.map(\.record)
                open = Array(IDInterner(open.filter { concerned.number(of: $0) == nil }).ids)
                concerned.insert(open)
            }
            // Contents stay if remaining records refer to them.
            if !contents.isEmpty || findsOutsideReferences { concerned.insert(Array(others.ids)) }
        }
        // The records are read after the search, since they may have changed since then.
        let records = try await presentRecords(for: Array(concerned.ids))
        for record in records { planner.examine(record) }
        planner.findDeletions(cascading: cascading)
        if findsOutsideReferences {
            let clearing = options.contains(.clearing) && !options.contains(.dangling)
            for record in records { planner.collectOutsideReferences(of: record, clearing: clearing) }
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
    /// - Complexity: One call of ``referrers(of:)``, with ``DeletionOptions/cascading`` one for each level of owned
    ///   records; none with ``DeletionOptions/dangling`` alone. In a database without an index of references, such as a
    ///   record file, each is a pass over all records. Then a fetch of the records to delete and of those that refer to
    ///   them, and one call for each batch.
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
        let denies = plan.options.isDisjoint(with: [.dangling, .clearing])
        if denies, !plan.dangling.isEmpty { throw RecordDatabaseError.stillReferenced(plan.dangling) }
        var save = BatchedSave(records: plan.cleared, deletions: plan.deletions, savePolicy: .ifUnchanged)
        save.deniesOutsideReferences = denies
        try await save.delete(in: self)
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

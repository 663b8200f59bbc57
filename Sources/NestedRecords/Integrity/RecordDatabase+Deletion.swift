extension RecordDatabase {
    package func deletionPlan(
        for ids: [Record.ID], _ options: DeletionOptions = [], findsOutsideReferences: Bool = true
    ) async throws -> DeletionPlan {
        let cascading = options.contains(.cascading)
        var planner = DeletionPlanner(deleting: ids, takesContents: options.contains(.contents))
        var records: [Record] = []
        // The records that may be deleted.
        var sought = IDInterner(ids)
        var others = IDInterner([])
        var open = Array(sought.ids)
        while !open.isEmpty {
            // Records are read before the references to them: what is concluded from the references is true of these
            // versions, or the commit finds a newer version or another reference.
            var level = open
            while !level.isEmpty {
                let read = try await presentRecords(for: level)
                for record in read { planner.examine(record) }
                records += read
                level = read.flatMap { planner.findContents(of: $0) }.filter { sought.number(of: $0) == nil }
                sought.insert(level)
                open += level
            }
            guard cascading || findsOutsideReferences || !planner.contents.isEmpty else { break }
            planner.knowsReferrers = true
            let referrers = try await referrers(of: open)
            let found = open.flatMap { id in (referrers[id] ?? []).map { (target: id, referrer: $0) } }
            for (target, referrer) in found { planner.noteUser(referrer.record, of: target) }
            others.insert(found.map(\.referrer.record))
            open = found.filter { cascading && $0.referrer.reference.action == .deleteSelf }.map(\.referrer.record)
            open = Array(IDInterner(open.filter { sought.number(of: $0) == nil }).ids)
            sought.insert(open)
        }
        // Contents stay if remaining records refer to them.
        if findsOutsideReferences || !planner.contents.isEmpty {
            let read = try await presentRecords(for: others.ids.filter { sought.number(of: $0) == nil })
            for record in read { planner.examine(record) }
            records += read
        }
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
    /// All records are deleted in one batch; if it exceeds the ``limits``, in several: in the order of
    /// ``DeletionPlan/ids``, so that an interrupted deletion can be repeated. If one of the records changes
    /// before it is deleted, or another record begins to refer to it, a new plan is made. So a reference that was saved
    /// before the deletion prevents it, or is treated as the options say, also if it was saved during the search. With
    /// ``DeletionOptions/dangling`` alone nothing is searched.
    ///
    /// To delete records whatever refers to them, in one call, commit a batch: ``commit(_:)``.
    ///
    /// - Parameters:
    ///   - ids: The records to delete; repetitions count once. Deleting a missing record has no effect.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The IDs of the deleted records, in the order of the deletion.
    /// - Throws: Errors of ``records(ofType:including:)`` and ``commit(_:)``, in which case nothing is deleted; after the first
    ///   of several batches `RecordDatabaseError.Code.partiallyDeleted`.
    ///   `RecordDatabaseError.Code.stillReferenced` if references from other records prevent the deletion;
    ///   `RecordDatabaseError.Code.unsupported` without ``DeletionOptions/dangling`` in a database without
    ///   ``RecordCapabilities/referrerConditions``; `CancellationError` if the task is cancelled before the first batch.
    /// - Complexity: One call of ``referrers(of:)``, with ``DeletionOptions/cascading`` one for each level of owned
    ///   records, and a search of the same kind for each batch; none with ``DeletionOptions/dangling`` alone. In a
    ///   database without an index of references, such as a record file, each is a pass over all records. Before each
    ///   search the records to delete are fetched, at last those that refer to them.
    @discardableResult
    public func delete(_ ids: [Record.ID], _ options: DeletionOptions = []) async throws -> [Record.ID] {
        try checkCanDelete(options)
        return try await RetryBudget.shared(retryPolicy) {
            var attempt = 1
            while true {
                let plan = try await deletionPlan(
                    for: ids, options, findsOutsideReferences: !options.contains(.dangling))
                try plan.checkReferences()
                do {
                    return try await delete(plan)
                } catch let error as RecordDatabaseError
                    where (error.isOvertaken || error.isNewReference) && attempt < retryPolicy.attempts
                    && RetryBudget.takeAttempt()
                {
                    attempt += 1
                }
            }
        }
    }

    /// Carries out a plan, unless one of its records has changed since the plan was made.
    ///
    /// A record that was deleted since then does not count as changed.
    @discardableResult
    package func delete(_ plan: DeletionPlan) async throws -> [Record.ID] {
        try checkCanDelete(plan.options)
        try plan.checkReferences()
        var save = BatchedSave(records: plan.cleared, deletions: plan.deletions, savePolicy: .ifUnchanged)
        if capabilities.contains(.referrerConditions) { save.allowedReferrers = plan.allowedReferrers }
        save.allowsOutsideReferences = !plan.options.deniesReferences
        try await save.delete(in: self)
        return plan.ids
    }

    func checkCanDelete(_ options: DeletionOptions) throws {
        if options.contains(.dangling) { return }
        try require(
            [.completeReferrers, .referrerConditions, .versionedDeletions], for: "a deletion that checks references")
    }
}

extension DeletionPlan {
    func checkReferences() throws {
        if options.deniesReferences, !dangling.isEmpty {
            throw RecordDatabaseError(.stillReferenced, .references(dangling))
        }
    }
}

extension DeletionOptions {
    fileprivate var deniesReferences: Bool { isDisjoint(with: [.dangling, .clearing]) }
}

extension RecordStore {
    /// Deletes the record with a name.
    ///
    /// A missing record is not an error.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value, which is not decoded.
    ///   - name: The name of its record.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The IDs of the deleted records, in the order of the deletion; none if the record is missing.
    /// - Throws: `RecordDatabaseError.Code.stillReferenced` if other records refer to it, unless an option says what to do
    ///   with these references; what keeps the database from reading and saving; in a later one of several batches
    ///   `RecordDatabaseError.Code.partiallyDeleted`.
    /// - Complexity: A pass over all records, unless the database has an index of references.
    @discardableResult
    public func delete<Value: RecordRepresentable>(
        _ type: Value.Type, named name: some RecordNameConvertible, _ options: DeletionOptions = []
    ) async throws -> [Record.ID] {
        try await calls.delete([Record.ID(of: type, named: name)], options)
    }

    /// Deletes the record of a value that was fetched, if it still has the version that was read.
    ///
    /// - Parameters:
    ///   - stored: The value.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The IDs of the deleted records, in the order of the deletion.
    /// - Throws: `RecordDatabaseError.Code.versionMismatch` if another writer has changed or deleted the
    ///   record, or a record of the value that would be deleted with it; otherwise as ``delete(_:named:_:)``.
    @discardableResult
    public func delete<Value>(
        _ stored: Stored<Value>, _ options: DeletionOptions = []
    ) async throws -> [Record.ID] {
        try calls.checkCanDelete(options)
        return try await RetryBudget.shared(retries) {
            var attempt = 1
            while true {
                let plan = try await plan(deleting: stored, options)
                try plan.checkReferences()
                do {
                    return try await calls.delete(plan)
                } catch let error as RecordDatabaseError
                    where (error.isOvertaken && error.code != .versionMismatch || error.isNewReference)
                    && attempt < retries.attempts && RetryBudget.takeAttempt()
                {
                    attempt += 1
                }
            }
        }
    }

    private func plan<Value>(deleting stored: Stored<Value>, _ options: DeletionOptions) async throws -> DeletionPlan {
        let plan = try await calls.deletionPlan(
            for: [stored.recordID], options, findsOutsideReferences: !options.contains(.dangling))
        let tags = stored.changeTags
        let changed = plan.ids.first { id in tags[id].map { plan.versions[id] != .changeTag($0) } ?? false }
        if let id = plan.missing.first ?? changed {
            throw RecordDatabaseError(
                .versionMismatch,
                .versions(server: try await calls.record(for: id), expected: tags[id].map { .changeTag($0) } ?? .any),
                recordID: id)
        }
        return plan
    }

    /// Carries out a plan, unless one of its records has changed since the plan was made, or another record refers to one.
    ///
    /// - Parameter plan: The plan, from ``plan(deleting:named:_:)``.
    /// - Returns: The IDs of the deleted records.
    /// - Throws: `RecordDatabaseError.Code.versionMismatch` or
    ///   `RecordDatabaseError.Code.conflict` if a record has changed, in which case nothing is deleted;
    ///   `RecordDatabaseError.Code.stillReferenced` if references from other records prevent the deletion, whatever the
    ///   options say of references that the plan does not know; errors of ``RecordDatabase/commit(_:)``, after the first of several batches within
    ///   `RecordDatabaseError.Code.partiallyDeleted`.
    @discardableResult
    public func delete(_ plan: DeletionPlan) async throws -> [Record.ID] { try await calls.delete(plan) }

    /// Says what to write instead: a plain value has no versions.
    @available(
        *, unavailable,
        message: "'delete' needs a Stored value, or a type and a name, as in delete(Book.self, named: 7)"
    )
    public func delete<Value: RecordRepresentable>(_ value: Value, _ options: DeletionOptions = []) async throws {}

    /// What ``delete(_:named:_:)`` with the same arguments would do.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - options: What is deleted besides, and what happens to references from remaining records.
    /// - Returns: The records that would be deleted and why, the missing record, and the references that prevent the
    ///   deletion or would dangle. Nothing is changed.
    /// - Throws: What keeps the database from reading.
    public func plan<Value: RecordRepresentable>(
        deleting type: Value.Type, named name: some RecordNameConvertible, _ options: DeletionOptions = []
    ) async throws -> DeletionPlan {
        try await calls.deletionPlan(for: [Record.ID(of: type, named: name)], options)
    }
}

extension RecordDatabase {
    /// Deletes the record of a value, and on request the records that it owns and contains.
    ///
    /// - Parameters:
    ///   - value: The value. Only its ID matters.
    ///   - cascading: Whether the records that it owns are deleted too.
    ///   - contents: What to do with the records that it refers to.
    ///   - outsideReferences: What to do with references from records that stay.
    /// - Returns: The deleted IDs, in the order of the deletion.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)``, and the errors of
    ///   ``delete(_:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    @discardableResult
    public func delete<Value: RecordRepresentable>(
        _ value: Value, cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> [Record.ID] {
        try await delete(
            [Record.ID(of: value)], cascading: cascading, contents: contents, outsideReferences: outsideReferences)
    }

    /// Deletes the record with a name, and on request the records that it owns and contains.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - cascading: Whether the records that it owns are deleted too.
    ///   - contents: What to do with the records that it refers to.
    ///   - outsideReferences: What to do with references from records that stay.
    /// - Returns: The deleted IDs, in the order of the deletion.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)``, and the errors of
    ///   ``delete(_:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    @discardableResult
    public func delete<Value: RecordRepresentable>(
        _ type: Value.Type, named name: some RecordNameConvertible, cascading: Bool = false,
        contents: DeletionContents = .kept, outsideReferences: OutsideReferences = .dangle
    ) async throws -> [Record.ID] {
        try await delete(
            [Record.ID(of: type, named: name)], cascading: cascading, contents: contents,
            outsideReferences: outsideReferences)
    }

    /// Deletes the record of a fetched value, if the record still has the version that was read.
    ///
    /// The other records of the value that are deleted with it must have the versions that were read too.
    ///
    /// - Parameters:
    ///   - stored: The value.
    ///   - cascading: Whether the records that it owns are deleted too.
    ///   - contents: What to do with the records that it refers to.
    ///   - outsideReferences: What to do with references from records that stay.
    /// - Returns: The deleted IDs, in the order of the deletion.
    /// - Throws: ``RecordDatabaseError/versionMismatch(_:expected:server:)`` if another writer has changed or deleted
    ///   the record, or has changed another record of the value, and the errors of
    ///   ``delete(_:cascading:contents:outsideReferences:)-([Record.ID],_,_,_)``.
    @discardableResult
    public func delete<Value>(
        _ stored: Stored<Value>, cascading: Bool = false, contents: DeletionContents = .kept,
        outsideReferences: OutsideReferences = .dangle
    ) async throws -> [Record.ID] {
        let version = stored.metadata.map { RecordBatch.Version.changeTag($0.changeTag) } ?? .any
        guard cascading || contents != .kept || outsideReferences != .dangle else {
            var batch = RecordBatch()
            batch.deletions = [RecordBatch.Deletion(stored.id, version: version)]
            try await commit(batch)
            return [stored.id]
        }
        let plan = try await deletionPlan(
            for: stored.id, cascading: cascading, contents: contents, outsideReferences: outsideReferences)
        let tags = stored.changeTags
        let changed = plan.deletions.first { deletion in
            tags[deletion.id].map { deletion.version != .changeTag($0) } ?? false
        }
        if let id = plan.missing.first ?? changed?.id {
            throw RecordDatabaseError.versionMismatch(
                id, expected: tags[id].map { .changeTag($0) } ?? .any, server: try await record(for: id))
        }
        return try await delete(plan)
    }
}

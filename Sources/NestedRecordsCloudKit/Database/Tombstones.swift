import NestedRecords

extension CloudKitRecordDatabase {
    /// Removes records that are marked as deleted.
    ///
    /// CloudKit deletes in no version, so that a record which is saved again at the same time would be lost. Invariant: a
    /// removal and a save over a mark both change one record, the guard, in the version that it had before the mark was
    /// read or made; so only one of them is done. A failure leaves marks, which readers do not see, and which the next save
    /// with the name takes away.
    ///
    /// - Parameters:
    ///   - ids: The records.
    ///   - saveOfGuard: A save of the guard as it was before the marks were made; nil if it has changed since.
    func removeTombstones(_ ids: [Record.ID], _ saveOfGuard: PortSave?) async {
        if let saveOfGuard {
            let deletions = ids.map { PortDeletion(recordName: mapping.naming.recordName(of: $0)) }
            if (try? await port.modify(saving: [saveOfGuard], deleting: deletions)) != nil { return }
        }
        try? await removeTombstones(ids)
    }

    private func removeTombstones(_ ids: [Record.ID]) async throws {
        // With one request, the guard could be read after a save over a mark, and the mark before it.
        let guardian = try await guardian()
        let deletions = try await stored(ids).values.filter { $0.content?.isDeleted == true }.map {
            PortDeletion(recordName: $0.base.fields.recordName)
        }
        if !deletions.isEmpty { try await port.modify(saving: [PortSave(ofGuard: guardian)], deleting: deletions) }
    }

    /// The guard, as it is now; nil before the first removal.
    func guardian() async throws -> PortRecord? {
        try await port.records(named: [CloudKitNaming.guardName])[CloudKitNaming.guardName]
    }
}

extension PortSave {
    /// A save of the guard over the version in which it was read.
    init(ofGuard base: PortRecord?) {
        self.init(
            base: base, recordType: CloudKitNaming.guardType, recordName: CloudKitNaming.guardName,
            set: [CloudKitNaming.guardField: .integer(.random(in: .min ... .max))], removed: [])
    }
}

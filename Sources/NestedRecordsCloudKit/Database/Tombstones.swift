import NestedRecords

extension CloudKitRecordDatabase {
    /// Removes records that are marked as deleted.
    ///
    /// CloudKit deletes in no version, so that a record which is saved again at the same time would be lost. Invariant: a
    /// deletion and a save over a mark both change one record, the guard, in a version; so only one of them is done. A
    /// failure leaves marks, which readers do not see, and which the next save with the name takes away.
    func removeTombstones(_ ids: [Record.ID]) async {
        guard let saveOfGuard = try? await saveOfGuard(), let stored = try? await stored(ids) else { return }
        let names = stored.values.filter { $0.content?.isDeleted == true }.map(\.base.fields.recordName)
        if !names.isEmpty { try? await port.modify(saving: [saveOfGuard], deleting: names) }
    }

    /// A save of the guard, in the version in which it is now.
    func saveOfGuard() async throws -> PortSave {
        let name = CloudKitNaming.guardName
        return PortSave(
            base: try await port.records(named: [name])[name], recordType: CloudKitNaming.guardType, recordName: name,
            set: [CloudKitNaming.guardField: .integer(.random(in: .min ... .max))], removed: [])
    }
}

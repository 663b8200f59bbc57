import NestedRecords

/// A batch in a message: the saves are its records.
enum BatchForm {
    static func message(of batch: RecordBatch) -> Message {
        Message(
            [
                "id": batch.id.map { .string($0) },
                "overwrites": batch.savePolicy == .overwrite ? true : nil,
                "deletions": batch.deletions.isEmpty ? nil : .list(batch.deletions.map(\.value)),
                "conditions": batch.conditions.isEmpty ? nil : .list(batch.conditions.map(\.value)),
                "allowedReferrers": batch.allowedReferrers.isEmpty
                    ? nil
                    : .list(
                        batch.allowedReferrers.map { id, allowed in
                            [Record.Value(id), Record.Value(allowed), .bool(batch.allowedOutside.contains(id))]
                        }),
            ], records: batch.saves)
    }

    static func batch(in message: Message) throws -> RecordBatch {
        let map = message.map
        var batch = RecordBatch(
            saving: message.records,
            savePolicy: try map.optional("overwrites", \.bool) ?? false ? .overwrite : .ifUnchanged)
        batch.id = try map.optional("id", \.text)
        batch.deletions = try map.list("deletions") { try RecordBatch.VersionedID($0) }
        batch.conditions = try map.list("conditions") { try RecordBatch.VersionedID($0) }
        for (id, allowed, isAllowedOutside) in try map.list("allowedReferrers", referrers) {
            batch.allowedReferrers[id] = Set(allowed)
            if isAllowedOutside { batch.allowedOutside.insert(id) }
        }
        return batch
    }

    private static func referrers(_ value: Record.Value) throws -> (Record.ID, [Record.ID], Bool)? {
        guard let parts = value.list, parts.count == 3, let id = try parts[0].id, let list = parts[1].list,
            let isAllowedOutside = parts[2].bool
        else { return nil }
        let allowed = try list.compactMap { try $0.id }
        return allowed.count == list.count ? (id, allowed, isAllowedOutside) : nil
    }
}

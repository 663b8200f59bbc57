import Foundation

extension StandInWebCall {
    /// The dictionary of a record.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html.
    /// The keys zoneID and pluginFields are a report: the second one at `json(_:)` of zone IDs.
    func json(_ record: StandInRecord, _ keys: [String]?, _ asStrings: Bool) -> [String: Any] {
        var json: [String: Any] = [
            "recordName": record.id.recordName, "recordType": record.type, "deleted": false,
            "fields": fields(record, keys, asStrings), "zoneID": self.json(record.id.zoneID), "pluginFields": [:],
        ]
        json["recordChangeTag"] = record.tag
        json["parent"] = record.parent.map { ["recordName": $0.recordID.recordName] }
        json["created"] = stamp(record.created, record.creator)
        json["modified"] = stamp(record.modified, record.modifier)
        return json
    }

    private func stamp(_ date: Date?, _ user: CKRecord.ID?) -> [String: Any]? {
        guard let date, let user else { return nil }
        return ["timestamp": milliseconds(date), "userRecordName": user.recordName, "deviceID": "stand-in"]
    }

    /// The dictionary of a record in a zone.
    func json(
        _ name: String, _ zoneID: CKRecordZone.ID, _ zone: StandInZone, _ keys: [String]?, _ asStrings: Bool
    ) throws -> [String: Any] {
        guard var record = zone.records[name]?.record else { throw CKError(.unknownItem) }
        record.id = CKRecord.ID(recordName: name, zoneID: zoneID)
        return json(record, keys, asStrings)
    }

    /// Finds records by name.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/LookupRecords.html.
    /// A zone that does not exist is an error of each record. [not verified]
    func lookUpRecords(_ body: [String: Any]) throws -> [String: Any] {
        let zoneID = try zoneID(body), asStrings = try asStrings(body), all = try keys(body)
        let names = try list("records", body).map {
            (try required("recordName", $0, String.self), try keys($0) ?? all)
        }
        return try cloud.perform(name, database) { user, state in
            state.use(cloud, database, user) { store, _ in
                let records = names.map { name, keys in
                    item("recordName", name) {
                        try json(name, zoneID, try store.zone(zoneID, user: user), keys, asStrings)
                    }
                }
                return ["records": records]
            }
        }
    }

    private struct Operation {
        let type: String
        let record: [String: Any]
        let id: CKRecord.ID
        let tag: String?
        let keys: [String]?

        var isForced: Bool { type.hasPrefix("force") }
        var isDeletion: Bool { ["delete", "forceDelete"].contains(type) }
        var isReplacement: Bool { ["replace", "forceReplace"].contains(type) }
    }

    /// Creates, updates, replaces and deletes records.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ModifyRecords.html:
    /// atomic by default, which only applies to custom zones, and one operation for a record. The status of a batch
    /// that fails as a whole, here 200 with an error for each record, is [not verified].
    /// The deletions come last here: that shows only in a request that deletes what another operation needs.
    func modifyRecords(_ body: [String: Any]) throws -> [String: Any] {
        let zoneID = try zoneID(body), asStrings = try asStrings(body), keys = try keys(body)
        let isAtomic = try optional("atomic", body, Bool.self) ?? true
        let operations = try list("operations", body).map { try operation($0, zoneID, keys) }
        guard Set(operations.map(\.id)).count == operations.count else {
            throw StandInWebError.badRequest("more than one operation for a record")
        }
        let deletions = operations.filter(\.isDeletion), saves = operations.filter { !$0.isDeletion }
        return try cloud.perform(
            name, database, saving: saves.map(\.id.recordName), deleting: deletions.map(\.id.recordName)
        ) { user, state in
            try state.use(cloud, database, user) { store, state in
                let known = (try? store.zone(zoneID, user: user))?.records ?? [:]
                let saving = try saves.map { try record($0, known[$0.id.recordName]?.record, state.schema) }
                guard saving.reduce(0, { $0 + $1.size }) <= state.settings.requestLimit else {
                    throw CKError(.limitExceeded)
                }
                var batch = StandInBatch(
                    cloud: cloud, user: user, policy: .ifServerRecordUnchanged, saving: saving,
                    deleting: deletions.map(\.id), refusesMissing: state.settings.refusesMissingDeletions)
                batch.forced = Set(saves.filter(\.isForced).map(\.id))
                for deletion in deletions where !deletion.isForced { batch.deletionTags[deletion.id] = deletion.tag }
                let outcome = try batch.commit(zoneID, &store, &state, isAtomic: isAtomic)
                let records = operations.map { operation in
                    let id = operation.id
                    return item("recordName", id.recordName, isCreation: operation.type == "create") {
                        if let error = outcome.errors[id] { throw error }
                        if let record = outcome.saved[id] { return json(record, operation.keys, asStrings) }
                        return ["recordName": id.recordName, "deleted": true]
                    }
                }
                return ["records": records]
            }
        }
    }

    /// An operation.
    ///
    /// Updates, replacements and deletions without force need a tag, by the page of types; that of the operations has a
    /// deletion without one. The error is [not verified].
    private func operation(_ json: [String: Any], _ zoneID: CKRecordZone.ID, _ keys: [String]?) throws -> Operation {
        let type = try required("operationType", json, String.self)
        let types = ["create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"]
        guard types.contains(type) else { throw StandInWebError.badRequest("Unexpected input: operationType") }
        let record = try required("record", json, [String: Any].self)
        // Only a new record gets a name from the server.
        let isNamed = type != "create" || record["recordName"] != nil
        let name = isNamed ? try required("recordName", record, String.self) : UUID().uuidString
        let isFree = type == "create" || type.hasPrefix("force")
        return Operation(
            type: type, record: record, id: CKRecord.ID(recordName: name, zoneID: zoneID),
            tag: isFree ? nil : try required("recordChangeTag", record, String.self), keys: try self.keys(json) ?? keys)
    }

    /// The record of an operation, as a device would send it.
    private func record(
        _ operation: Operation, _ stored: StandInRecord?, _ schema: [String: [String: String]]
    ) throws -> StandInRecord {
        let json = operation.record, id = operation.id
        // An operation with a tag needs no type: without a stored record it fails later.
        let type =
            try optional("recordType", json) ?? stored?.type
            ?? (operation.tag == nil ? required("recordType", json) : "T")
        var record = StandInRecord(type: type, id: id)
        record.tag = operation.tag
        for (key, field) in try optional("fields", json, [String: Any].self) ?? [:] {
            record.fields[key] = try value(field, schema[type]?[key], id, key)
            record.changed.insert(key)
        }
        if let stored, operation.isReplacement { record.changed.formUnion(stored.fields.keys) }
        record.parent = try optional("parent", json, [String: Any].self).map {
            let name = try required("recordName", $0, String.self)
            return CKRecord.Reference(recordID: CKRecord.ID(recordName: name, zoneID: id.zoneID), action: .none)
        }
        // That a replacement without a parent removes it is [not verified].
        record.isParentChanged = record.parent != nil || operation.isReplacement
        return record
    }
}

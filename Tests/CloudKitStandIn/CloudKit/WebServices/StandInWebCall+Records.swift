import Foundation

extension StandInWebCall {
    /// The dictionary of a record.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html;
    /// an example: https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/UploadAssets.html
    func json(_ record: StandInRecord, _ keys: [String]?, _ asStrings: Bool) -> [String: Any] {
        var json: [String: Any] = [
            "recordName": record.id.recordName, "recordType": record.type, "deleted": false,
            "fields": fields(record, keys, asStrings), "zoneID": self.json(record.id.zoneID),
        ]
        json["recordChangeTag"] = record.tag
        json["parent"] = record.parent.map { ["recordName": $0.recordID.recordName] }
        for (key, date, user) in [
            ("created", record.created, record.creator), ("modified", record.modified, record.modifier),
        ] {
            guard let date else { continue }
            json[key] = [
                "timestamp": milliseconds(date), "userRecordName": user?.recordName ?? "_", "deviceID": "stand-in",
            ]
        }
        return json
    }

    /// Finds records by name.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/LookupRecords.html.
    /// A zone that does not exist is an error of each record. [not verified]
    func lookUpRecords(_ body: [String: Any]) throws -> [String: Any] {
        let zoneID = try zoneID(body), asStrings = try optional("numbersAsStrings", body, Bool.self) ?? false
        let keys = try optional("desiredKeys", body, [String].self)
        let names = try list("records", body).map { item -> (String, [String]?) in
            guard let name = item["recordName"] as? String, !name.isEmpty else {
                throw StandInWebError.badRequest("recordName is missing")
            }
            return (name, try optional("desiredKeys", item, [String].self) ?? keys)
        }
        return try cloud.perform(name, database) { user, state in
            state.use(cloud, database, user) { store, _ in
                let records = names.map { name, keys in
                    item("recordName", name) {
                        let zone = try store.zone(zoneID, user: user)
                        guard var record = zone.records[name]?.record else { throw CKError(.unknownItem) }
                        record.id = CKRecord.ID(recordName: name, zoneID: zoneID)
                        return json(record, keys, asStrings)
                    }
                }
                return ["records": records]
            }
        }
    }

    private struct Operation {
        let type: String
        let record: [String: Any]
        let name: String
        let keys: [String]?

        var isDeletion: Bool { type == "delete" || type == "forceDelete" }
        var isForced: Bool { type.hasPrefix("force") }
        var isReplacement: Bool { type == "replace" || type == "forceReplace" }
    }

    /// Creates, updates, replaces and deletes records.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ModifyRecords.html:
    /// atomic by default, which only applies to custom zones, and one operation for a record. The status of a batch
    /// that fails as a whole, here 200 with an error for each record, is [not verified].
    /// The deletions come last here: that shows only in a request that deletes what another operation needs.
    func modifyRecords(_ body: [String: Any]) throws -> [String: Any] {
        let zoneID = try zoneID(body), asStrings = try optional("numbersAsStrings", body, Bool.self) ?? false
        let isAtomic = try optional("atomic", body, Bool.self) ?? true
        let keys = try optional("desiredKeys", body, [String].self)
        let operations = try list("operations", body).map { try operation($0, keys) }
        guard Set(operations.map(\.name)).count == operations.count else {
            throw StandInWebError.badRequest("more than one operation for a record")
        }
        let deletions = operations.filter(\.isDeletion)
        let saves = operations.filter { !$0.isDeletion }
        return try cloud.perform(
            name, database, saving: saves.map(\.name), deleting: deletions.map(\.name)
        ) { user, state in
            try state.use(cloud, database, user) { store, state in
                func id(_ operation: Operation) -> CKRecord.ID {
                    CKRecord.ID(recordName: operation.name, zoneID: zoneID)
                }
                let zone = Result { try store.zone(zoneID, user: user) }
                guard let known = try? zone.get().records else {
                    return ["records": operations.map { item("recordName", $0.name) { _ = try zone.get(); return [:] } }]
                }
                var errors: [CKRecord.ID: any Error] = [:], saving: [StandInRecord] = []
                for operation in saves {
                    do {
                        let stored = known[operation.name]?.record
                        saving.append(try record(operation, id(operation), stored, state.schema))
                    } catch {
                        errors[id(operation)] = error
                    }
                }
                guard saving.reduce(0, { $0 + $1.size }) <= state.settings.requestLimit else {
                    throw CKError(.limitExceeded)
                }
                // One page requires a tag, another has a deletion without one. [not verified]
                var tags: [CKRecord.ID: String] = [:]
                for operation in deletions where !operation.isForced {
                    tags[id(operation)] = operation.record["recordChangeTag"] as? String
                    if tags[id(operation)] == nil {
                        errors[id(operation)] = StandInWebError.badRequest("recordChangeTag is missing")
                    }
                }
                var batch = StandInBatch(
                    cloud: cloud, user: user, policy: .ifServerRecordUnchanged, saving: saving,
                    deleting: deletions.map(id).filter { errors[$0] == nil },
                    refusesMissing: state.settings.refusesMissingDeletions)
                batch.forced = Set(saves.filter(\.isForced).map(id))
                batch.deletionTags = tags
                batch.failures = errors.mapValues { $0 as? CKError ?? CKError.invalid("\($0)") }
                let outcome = try batch.commit(zoneID, &store, &state, isAtomic: isAtomic)
                let records = operations.map { operation in
                    item("recordName", operation.name, isCreation: operation.type == "create") {
                        let id = id(operation)
                        if let error = errors[id] ?? outcome.errors[id] { throw error }
                        if let record = outcome.saved[id] { return json(record, operation.keys, asStrings) }
                        return ["recordName": operation.name, "deleted": true]
                    }
                }
                return ["records": records]
            }
        }
    }

    private func operation(_ json: [String: Any], _ keys: [String]?) throws -> Operation {
        let types = ["create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"]
        guard let type = json["operationType"] as? String, types.contains(type),
            let record = json["record"] as? [String: Any]
        else { throw StandInWebError.badRequest("Unexpected input: operation") }
        // Only a new record gets a name from the server.
        guard let name = try optional("recordName", record) ?? (type == "create" ? UUID().uuidString : nil),
            !name.isEmpty
        else { throw StandInWebError.badRequest("recordName is missing") }
        return Operation(
            type: type, record: record, name: name, keys: try optional("desiredKeys", json, [String].self) ?? keys)
    }

    /// The record of an operation, as a device would send it.
    private func record(
        _ operation: Operation, _ id: CKRecord.ID, _ stored: StandInRecord?, _ schema: [String: [String: String]]
    ) throws -> StandInRecord {
        let tag = try optional("recordChangeTag", operation.record, String.self)
        let hasTag = operation.type == "update" || operation.type == "replace"
        // The error of a missing tag is [not verified].
        if hasTag, tag == nil { throw StandInWebError.badRequest("recordChangeTag is missing") }
        if hasTag, stored == nil { throw CKError(.unknownItem) }
        guard let type = try optional("recordType", operation.record, String.self) ?? stored?.type else {
            throw StandInWebError.badRequest("recordType is missing")
        }
        var record = StandInRecord(type: type, id: id)
        record.tag = hasTag ? tag : nil
        for (key, json) in try optional("fields", operation.record, [String: Any].self) ?? [:] {
            let known = schema[type]?[key]
            record.fields[key] = try value(json, known, id, key)
            record.changed.insert(key)
        }
        if operation.isReplacement { record.changed.formUnion(stored.map { Array($0.fields.keys) } ?? []) }
        if let parent = try optional("parent", operation.record, [String: Any].self) {
            guard let name = parent["recordName"] as? String, !name.isEmpty else {
                throw StandInWebError.badRequest("recordName is missing")
            }
            record.parent = CKRecord.Reference(
                recordID: CKRecord.ID(recordName: name, zoneID: id.zoneID), action: .none)
            record.isParentChanged = true
        } else if operation.isReplacement {
            record.isParentChanged = true  // [not verified]
        }
        return record
    }
}

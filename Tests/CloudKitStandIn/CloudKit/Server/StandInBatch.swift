import Foundation

/// The changes of one request in one zone.
struct StandInBatch {
    let cloud: StandInCloud
    let user: String?
    let policy: CKModifyRecordsOperation.RecordSavePolicy
    let saving: [StandInRecord]
    let deleting: [CKRecord.ID]
    let refusesMissing: Bool

    /// Records that are saved without a comparison of tags, whatever the policy.
    var forced: Set<CKRecord.ID> = []

    /// The tags of deletions that are compared: no call of the native interface has them.
    var deletionTags: [CKRecord.ID: String] = [:]

    typealias Outcome = (saved: [CKRecord.ID: StandInRecord], errors: [CKRecord.ID: CKError])

    /// Applies what can be applied: in a zone with the capability atomic everything or nothing.
    func commit(
        _ zoneID: CKRecordZone.ID, _ store: inout StandInStore, _ state: inout StandInCloud.State, isAtomic: Bool
    ) throws -> Outcome {
        let ids = saving.map(\.id) + deleting
        var outcome: Outcome = ([:], [:])
        var zone: StandInZone
        do {
            zone = try store.zone(zoneID, user: user)
        } catch let error as CKError {
            outcome.errors = Dictionary(uniqueKeysWithValues: ids.map { ($0, error) })
            return outcome
        }
        var changed = state
        let before = zone.change
        for record in saving {
            do {
                let stored = try save(record, &zone, &changed)
                outcome.saved[record.id] = stored
            } catch let error as CKError {
                outcome.errors[record.id] = error
            }
        }
        for id in deleting {
            if let code = state.refusals[id.recordName] {
                outcome.errors[id] = CKError(code)
            } else if let stored = zone.records[id.recordName]?.record {
                if let tag = deletionTags[id], tag != stored.tag {
                    outcome.errors[id] = CKError(.serverRecordChanged)
                    continue
                }
                // A record that others have as their parent: a report at github.com/mufasaYC/MYCloudKit/issues/7
                let names = Set(deleting.map(\.recordName))
                let isParent = zone.records.values.contains {
                    $0.record.parent?.recordID.recordName == id.recordName && !names.contains($0.record.id.recordName)
                        && !$0.record.owners.contains(id.recordName)
                }
                if isParent { outcome.errors[id] = CKError(.referenceViolation) } else { zone.delete(id.recordName) }
            } else if refusesMissing || deletionTags[id] != nil {
                outcome.errors[id] = CKError(.unknownItem)
            }
        }
        guard outcome.errors.isEmpty || !(isAtomic && zone.capabilities.contains(.atomic)) else {
            // The items without an error of their own have this one:
            // https://developer.apple.com/documentation/cloudkit/ckerror/code/batchrequestfailed
            for id in ids where outcome.errors[id] == nil { outcome.errors[id] = CKError(.batchRequestFailed) }
            outcome.saved = [:]
            return outcome
        }
        // At once in a custom zone, later in a default zone:
        // https://developer.apple.com/documentation/cloudkit/ckrecord/referenceaction/deleteself
        if zone.capabilities.contains(.atomic) || !state.settings.cascadesLag { zone.finishCascades() }
        if !state.settings.indexesLag {
            if deleting.isEmpty { saving.forEach { zone.updateIndex($0.id.recordName) } } else { zone.updateIndex() }
        }
        state = changed
        if zone.change > before { store.put(zone, zoneID.zoneName) }
        return outcome
    }

    /// Saves a record, or throws and changes nothing.
    private func save(
        _ record: StandInRecord, _ zone: inout StandInZone, _ state: inout StandInCloud.State
    ) throws -> StandInRecord {
        if let code = state.refusals[record.id.recordName] { throw CKError(code) }
        try StandInSchema.checkNames(record)
        let name = record.id.recordName
        let stored = zone.records[name]?.record
        if policy == .ifServerRecordUnchanged, !forced.contains(record.id) { try compareTags(record, stored) }
        // Names are unique in a zone whatever the type: https://developer.apple.com/documentation/cloudkit/ckrecord/id
        // The error of a record with another type [not verified]
        if let stored, stored.type != record.type {
            throw CKError.invalid("record \(name) has the type \(stored.type), not \(record.type)")
        }
        // Without a comparison of tags a missing record is created, also one that had a tag. [not verified]
        var new = stored ?? StandInRecord(type: record.type, id: record.id)
        new.id = record.id
        // Fields that only the server has stay, also with allKeys; the default policy sends the edited fields:
        // https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation/recordsavepolicy/allkeys
        let keys = policy == .allKeys ? record.changed.union(record.fields.keys) : record.changed
        let step = state.settings.datePrecision
        for key in keys {
            new.fields[key] = try record.fields[key]?.mapped(cloud.uploaded) {
                Date(timeIntervalSince1970: ($0.timeIntervalSince1970 / step).rounded() * step)
            }
        }
        if record.isParentChanged || policy == .allKeys { new.parent = record.parent }
        // A parent is on the server or in the same request:
        // https://developer.apple.com/documentation/cloudkit/ckrecord/parent
        var required = new.parent.map { Set([$0.recordID.recordName]) } ?? []
        if state.settings.requiresOwners { required.formUnion(new.owners) }
        required.subtract(saving.map(\.id.recordName))
        guard required.allSatisfy({ zone.records[$0] != nil }) else { throw CKError(.referenceViolation) }
        if new.size > state.settings.recordLimit { throw CKError(.limitExceeded) }
        for owner in new.owners.subtracting(stored?.owners ?? []) {
            let owned = zone.records.values.count { $0.record.owners.contains(owner) }
            if owned >= state.settings.ownedLimit { throw CKError(.limitExceeded) }
        }
        try StandInSchema.extend(&state, for: new, keys)
        // Each save changes the tag, so that of an unchanged record, too:
        // https://developer.apple.com/documentation/cloudkit/ckrecord/recordchangetag
        func stamp(_ record: inout StandInRecord) {
            state.saves += 1
            record.tag = String(state.saves, radix: 36)
            record.modified = state.settings.clock()
            record.modifier = CKRecord.ID(recordName: user.map(StandInCloud.recordName(ofUser:)) ?? "_")
        }
        stamp(&new)
        new.created = stored?.created ?? new.modified
        new.creator = stored?.creator ?? new.modifier
        zone.put(new)
        if state.settings.referencesChangeTargets {
            for target in new.targets.subtracting(stored?.targets ?? []) where target != name {
                guard var touched = zone.records[target]?.record else { continue }
                stamp(&touched)
                zone.put(touched)
            }
        }
        return new
    }

    /// Refuses a tag that is not the server's, or none for an existing record, or one of a missing record.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/serverrecordchanged,
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/unknownitem
    private func compareTags(_ record: StandInRecord, _ stored: StandInRecord?) throws {
        guard record.tag != stored?.tag else { return }
        guard let stored else { throw CKError(.unknownItem) }
        var info: [String: Any] = [
            CKRecordChangedErrorServerRecordKey: try cloud.delivered(stored, nil),
            CKRecordChangedErrorClientRecordKey: CKRecord(record),
        ]
        if record.tag == nil { info[NSLocalizedDescriptionKey] = "record to insert already exists" }
        throw CKError(.serverRecordChanged, userInfo: info)
    }
}

import Foundation

extension StandInCloud {
    func zones(
        _ database: CKDatabase, _ ids: [CKRecordZone.ID]
    ) throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        try perform(.recordZones, database) { user, state in
            state.use(self, database, user) { store, _ in
                var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
                for id in ids {
                    results[id] = Result {
                        CKRecordZone(zoneID: id, capabilities: try store.zone(id, user: user).capabilities)
                    }
                }
                return results
            }
        }
    }

    func allZones(_ database: CKDatabase) throws -> [CKRecordZone] {
        try perform(.recordZones, database) { user, state in
            state.use(self, database, user) { store, _ in
                store.zones.sorted { $0.key < $1.key }.map {
                    CKRecordZone(zoneID: CKRecordZone.ID(zoneName: $0.key), capabilities: $0.value.capabilities)
                }
            }
        }
    }

    /// Public databases have no zones of their own, and default zones stay.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckrecordzone; the codes of the errors [not verified]
    func modifyZones(
        _ database: CKDatabase, _ saving: [CKRecordZone], _ deleting: [CKRecordZone.ID]
    ) throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let names = (saving.map(\.zoneID.zoneName), deleting.map(\.zoneName))
        return try perform(.modifyRecordZones, database, saving: names.0, deleting: names.1) { user, state in
            state.use(self, database, user) { store, _ in
                var saved: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
                for zoneID in saving.map(\.zoneID) { saved[zoneID] = Result { try save(zoneID, &store, user) } }
                var deleted: [CKRecordZone.ID: Result<Void, any Error>] = [:]
                for zoneID in deleting {
                    deleted[zoneID] = Result {
                        if zoneID.zoneName == CKRecordZone.ID.defaultZoneName { throw CKError(.invalidArguments) }
                        _ = try store.zone(zoneID, user: user)
                        delete(zoneID.zoneName, .deleted, &store)
                    }
                }
                return (saved, deleted)
            }
        }
    }

    func save(_ id: CKRecordZone.ID, _ store: inout StandInStore, _ user: String?) throws -> CKRecordZone {
        if let known = try? store.zone(id, user: user) {
            return CKRecordZone(zoneID: id, capabilities: known.capabilities)
        }
        let name = id.zoneName.utf8
        // https://developer.apple.com/documentation/cloudkit/ckrecordzone/id/init(zonename:ownername:)-22irr
        guard store.scope == .private, name.count <= 255, name.first != UInt8(ascii: "_"),
            name.allSatisfy({ $0 < 128 })
        else { throw CKError.invalid("zone \(id.zoneName)") }
        let zone = StandInZone(capabilities: [.fetchChanges, .atomic, .sharing, .zoneWideSharing])
        store.put(zone, id.zoneName)
        store.deletedZones[id.zoneName] = nil
        return CKRecordZone(zoneID: id, capabilities: zone.capabilities)
    }

    func delete(
        _ name: String, _ cause: CKDatabase.DatabaseChange.Deletion.Cause, _ store: inout StandInStore
    ) {
        guard store.zones.removeValue(forKey: name) != nil else { return }
        store.change += 1
        store.deletedZones[name] = (store.change, cause)
    }

    /// What a user does in the Settings app.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckerror/code/userdeletedzone
    public func purgeZone(_ name: String, of user: String) {
        state.withLock { state in
            guard var store = state.stores["private \(user)"] else { return }
            delete(name, .purged, &store)
            state.stores["private \(user)"] = store
        }
    }
}

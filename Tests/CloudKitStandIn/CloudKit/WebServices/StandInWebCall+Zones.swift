import Foundation

extension StandInWebCall {
    /// The dictionary of a zone.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html.
    /// Zones without changes have no sync token. [not verified]
    private func json(_ id: CKRecordZone.ID, _ zone: StandInZone, _ epoch: Int) -> [String: Any] {
        var json: [String: Any] = ["zoneID": self.json(id), "atomic": zone.capabilities.contains(.atomic)]
        if zone.capabilities.contains(.fetchChanges) {
            json["syncToken"] = text(StandInPosition(history: zone.history, epoch: epoch, change: zone.change))
        }
        return json
    }

    /// Zones by ID, or all.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/GettingAllZones.html,
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/GettingZonesbyIdentifier.html
    func zones(_ ids: [CKRecordZone.ID]?) throws -> [String: Any] {
        try cloud.perform(name, database) { user, state in
            state.use(cloud, database, user) { store, state in
                let ids = ids ?? store.zones.keys.sorted().map { CKRecordZone.ID(zoneName: $0) }
                let zones = ids.map { id in
                    item("zoneID", json(id)) { json(id, try store.zone(id, user: user), state.epoch) }
                }
                return ["zones": zones]
            }
        }
    }

    /// Creates and deletes zones in the order of the request, one operation for a zone.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ModifyZones.html;
    /// the answer for a deleted zone and the codes of the errors [not verified]
    func modifyZones(_ body: [String: Any]) throws -> [String: Any] {
        let operations = try list("operations", body).map { json in
            let type = try required("operationType", json, String.self)
            guard ["create", "delete"].contains(type) else { throw StandInWebError.badRequest(type) }
            let zone = try required("zone", json, [String: Any].self)
            return (isCreation: type == "create", id: try zoneID(of: try required("zoneID", zone)))
        }
        guard Set(operations.map(\.id)).count == operations.count else {
            throw StandInWebError.badRequest("more than one operation for a zone")
        }
        return try cloud.perform(
            name, database, saving: operations.filter(\.isCreation).map(\.id.zoneName),
            deleting: operations.filter { !$0.isCreation }.map(\.id.zoneName)
        ) { user, state in
            state.use(cloud, database, user) { store, state in
                let zones = operations.map { isCreation, id in
                    item("zoneID", json(id)) {
                        if isCreation {
                            let isNew = store.zones[id.zoneName] == nil || !web.refusesExistingZones
                            guard isNew else { throw StandInWebError("EXISTS", "Zone already exists") }
                            _ = try cloud.save(id, &store, user)
                            return json(id, try store.zone(id, user: user), state.epoch)
                        }
                        if id.zoneName == CKRecordZone.ID.defaultZoneName { throw CKError(.invalidArguments) }
                        _ = try store.zone(id, user: user)
                        cloud.delete(id.zoneName, .deleted, &store)
                        return ["zoneID": json(id), "deleted": true]
                    }
                }
                return ["zones": zones]
            }
        }
    }

    /// The zones that changed, in private and shared databases; with `deleted` those that are gone.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/FetchingDatabaseChanges(changeszone).html.
    /// The key `deleted` is a report of the older path: https://github.com/brightdigit/MistKit/issues/444
    func databaseChanges(_ body: [String: Any]) throws -> [String: Any] {
        let start = try position(body), limit = try limit(body)
        return try cloud.perform(name, database) { user, state in
            guard database.databaseScope != .public else { throw CKError(.badDatabase) }
            return try state.use(cloud, database, user) { store, state in
                let start = try cloud.change(start, store.history, state.epoch)
                let changes = store.changes(after: start, min(limit, state.settings.changesPageLimit))
                let zones = changes.page.map { item in
                    let id = CKRecordZone.ID(zoneName: item.name)
                    return store.zones[item.name].map { json(id, $0, state.epoch) }
                        ?? ["zoneID": json(id), "deleted": true]
                }
                let end = StandInPosition(history: store.history, epoch: state.epoch, change: changes.end)
                return ["zones": zones, "syncToken": text(end), "moreComing": changes.more]
            }
        }
    }

    /// The changed records of zones, in the order of the changes; with `deleted` those that are gone.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/FetchingRecordZoneChanges(changeszone).html.
    /// That deleted records have no type is a report: github.com/timlaing/pyicloud, pyicloud/common/cloudkit/models.py.
    /// An old sync token is an error of its zone. [not verified]
    func recordZoneChanges(_ body: [String: Any]) throws -> [String: Any] {
        let requests = try list("zones", body).map { body.merging($0) { $1 } }
        let ids = try requests.map { try zoneID(of: try required("zoneID", $0)) }
        return try cloud.perform(name, database) { user, state in
            guard database.databaseScope != .public else { throw CKError(.badDatabase) }
            return state.use(cloud, database, user) { store, state in
                let zones = zip(ids, requests).map { id, request in
                    item("zoneID", json(id)) {
                        try changes(id, try store.zone(id, user: user), request, state)
                    }
                }
                return ["zones": zones]
            }
        }
    }

    private func changes(
        _ id: CKRecordZone.ID, _ zone: StandInZone, _ request: [String: Any], _ state: StandInCloud.State
    ) throws -> [String: Any] {
        guard zone.capabilities.contains(.fetchChanges), request["reverse"] as? Bool != true else {
            throw StandInWebError.badRequest("no changes of default zones, and none in reverse order in the stand-in")
        }
        let asStrings = try asStrings(request), keys = try keys(request), limit = try limit(request)
        let types = try optional("desiredRecordTypes", request, [String].self)
        let start = try cloud.change(try position(request), zone.history, state.epoch)
        let changes = zone.changes(after: start, min(limit, state.settings.changesPageLimit))
        let records = changes.page.compactMap { item -> [String: Any]? in
            let type = item.type ?? zone.records[item.name]?.record.type ?? ""
            guard types?.contains(type) ?? true else { return nil }
            if item.type != nil { return ["recordName": item.name, "deleted": true, "zoneID": json(id)] }
            return try? json(item.name, id, zone, keys, asStrings)
        }
        let end = StandInPosition(history: zone.history, epoch: state.epoch, change: changes.end)
        return ["zoneID": json(id), "records": records, "syncToken": text(end), "moreComing": changes.more]
    }
}

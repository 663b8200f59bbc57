import Foundation

extension StandInWebCall {
    /// Finds records by the index, in the order of their names.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/QueryingRecords.html:
    /// without a zone in the default zone, or in all zones with `zoneWide`. The codes of all errors are [not verified].
    /// The stand-in knows filters of record names only, and does not sort.
    func query(_ body: [String: Any]) throws -> [String: Any] {
        let zoneID = try optional("zoneID", body, [String: Any].self).map(zoneID(of:))
        let isWide = try optional("zoneWide", body, Bool.self) ?? false
        let asStrings = try asStrings(body), keys = try keys(body), limit = try limit(body)
        // A marker is the last record's zone and name.
        let marker = try optional("continuationMarker", body, String.self)
        let last = String(decoding: marker.flatMap { Data(base64Encoded: $0) } ?? Data(), as: UTF8.self)
        let query = try required("query", body, [String: Any].self)
        let type = try required("recordType", query, String.self)
        let filters = try optional("filterBy", query, [[String: Any]].self) ?? []
        guard query["sortBy"] == nil, marker == nil || last.contains("/") else {
            throw StandInWebError.badRequest("the stand-in does not sort, or the marker is invalid")
        }
        return try cloud.perform(name, database) { user, state in
            let isIndexed = state.settings.queryableTypes?.contains(type) ?? true
            guard state.schema[type] != nil else { throw StandInWebError("NOT_FOUND", "no record type \(type)") }
            guard isIndexed else { throw StandInWebError.badRequest("Type is not marked indexable: \(type)") }
            return try state.use(cloud, database, user) { store, state in
                var found: [(key: String, record: [String: Any])] = []
                let all = store.zones.keys.map { CKRecordZone.ID(zoneName: $0) }
                for id in zoneID == nil && isWide ? all : [zoneID ?? .default] {
                    let zone = try store.zone(id, user: user)
                    for name in zone.index.filter({ $0.value == type }).keys {
                        guard try filters.allSatisfy({ try matches(name, $0) }),
                            let record = try? json(name, id, zone, keys, asStrings)
                        else { continue }
                        found.append((id.zoneName + "/" + name, record))
                    }
                }
                found = found.filter { $0.key > last }.sorted { $0.key < $1.key }
                let page = found.prefix(min(limit, state.settings.queryPageLimit))
                var json: [String: Any] = ["records": page.map(\.record)]
                if page.count < found.count, let last = page.last {
                    json["continuationMarker"] = Data(last.key.utf8).base64EncodedString()
                }
                return json
            }
        }
    }

    private func matches(_ name: String, _ filter: [String: Any]) throws -> Bool {
        func text(_ json: Any?) -> String? { json as? String ?? (json as? [String: Any])?["recordName"] as? String }
        let field = (filter["systemFieldName"] ?? filter["fieldName"]) as? String
        let value = try required("fieldValue", filter, [String: Any].self)["value"]
        switch (field, filter["comparator"] as? String, value as? [Any]) {
        case ("recordName", "EQUALS", nil), ("___recordId", "EQUALS", nil): return text(value) == name
        case ("recordName", "IN", let list?), ("___recordId", "IN", let list?): return list.map(text).contains(name)
        default: throw StandInWebError.badRequest("the stand-in does not know the filter \(filter)")
        }
    }
}

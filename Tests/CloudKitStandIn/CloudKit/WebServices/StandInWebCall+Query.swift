import Foundation

extension StandInWebCall {
    /// Finds records by the index, in the order of their names.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/QueryingRecords.html:
    /// without a zone in the default zone, or in all zones with `zoneWide`. The codes of all errors are [not verified].
    /// The stand-in knows filters of record names and dates only, and does not sort.
    func query(_ body: [String: Any]) throws -> [String: Any] {
        let zoneID = try optional("zoneID", body, [String: Any].self).map(zoneID(of:))
        let isWide = try optional("zoneWide", body, Bool.self) ?? false
        let asStrings = try optional("numbersAsStrings", body, Bool.self) ?? false
        let keys = try optional("desiredKeys", body, [String].self)
        let limit = try optional("resultsLimit", body, Int.self) ?? .max
        let marker = try optional("continuationMarker", body, String.self)
        let query = try optional("query", body, [String: Any].self) ?? [:]
        let filters = try optional("filterBy", query, [[String: Any]].self) ?? []
        guard let type = query["recordType"] as? String, query["sortBy"] == nil, limit > 0 else {
            throw StandInWebError.badRequest("Unexpected input: query")
        }
        return try cloud.perform(name, database) { user, state in
            guard state.schema[type] != nil else {
                throw StandInWebError("NOT_FOUND", "Did not find record type: \(type)")
            }
            guard state.settings.queryableTypes?.contains(type) ?? true else {
                throw StandInWebError.badRequest("Type is not marked indexable: \(type)")
            }
            return try state.use(cloud, database, user) { store, state in
                var names: [[String]] = []
                if let marker {
                    names = try Self.names(marker)
                } else {
                    let all = store.zones.keys.sorted().map { CKRecordZone.ID(zoneName: $0) }
                    for id in zoneID == nil && isWide ? all : [zoneID ?? .default] {
                        let index = try store.zone(id, user: user).index.filter { $0.value == type }
                        names += index.keys.sorted().map { [id.zoneName, id.ownerName, $0] }
                    }
                }
                let found = try names.compactMap { name -> StandInRecord? in
                    let zoneID = CKRecordZone.ID(zoneName: name[0], ownerName: name[1])
                    guard var record = try? store.zone(zoneID, user: user).records[name[2]]?.record else { return nil }
                    record.id = CKRecord.ID(recordName: name[2], zoneID: zoneID)
                    return try filters.allSatisfy { try matches(record, $0) } ? record : nil
                }
                let page = found.prefix(min(limit, state.settings.queryPageLimit))
                let rest = found.dropFirst(page.count).map {
                    [$0.id.zoneID.zoneName, $0.id.zoneID.ownerName, $0.id.recordName]
                }
                var json: [String: Any] = ["records": page.map { self.json($0, keys, asStrings) }]
                if !rest.isEmpty { json["continuationMarker"] = try JSONEncoder().encode(rest).base64EncodedString() }
                return json
            }
        }
    }

    private static func names(_ marker: String) throws -> [[String]] {
        guard let data = Data(base64Encoded: marker), let names = try? JSONDecoder().decode([[String]].self, from: data),
            names.allSatisfy({ $0.count == 3 && !$0.contains("") })
        else { throw StandInWebError.badRequest("continuationMarker is invalid") }
        return names
    }

    private func matches(_ record: StandInRecord, _ filter: [String: Any]) throws -> Bool {
        let value = (filter["fieldValue"] as? [String: Any])?["value"]
        let comparator = filter["comparator"] as? String
        switch filter["systemFieldName"] as? String ?? filter["fieldName"] as? String {
        case "recordName", "___recordId":
            func name(_ json: Any?) -> String? { json as? String ?? (json as? [String: Any])?["recordName"] as? String }
            if comparator == "EQUALS" { return name(value) == record.id.recordName }
            if comparator == "IN", let list = value as? [Any] { return list.map(name).contains(record.id.recordName) }
        case "createdTimestamp", "___createTime", "modifiedTimestamp", "___modTime":
            let isCreation = (filter.values.compactMap { $0 as? String }).contains { $0.contains("create") }
            let date = isCreation ? record.created : record.modified
            guard let date, let value = value as? NSNumber else { break }
            let order = milliseconds(date).compare(value)
            switch comparator {
            case "EQUALS": return order == .orderedSame
            case "LESS_THAN": return order == .orderedAscending
            case "LESS_THAN_OR_EQUALS": return order != .orderedDescending
            case "GREATER_THAN": return order == .orderedDescending
            case "GREATER_THAN_OR_EQUALS": return order != .orderedAscending
            default: break
            }
        default: break
        }
        throw StandInWebError.badRequest("the stand-in does not know the filter \(filter)")
    }
}

import Foundation

/// A call of a known caller.
struct StandInWebCall {
    let cloud: StandInCloud
    let database: CKDatabase
    let user: String?
    let token: String?
    let web: StandInCloud.Web
    let uploads: [String: StandInCloud.Upload]
    let name: StandInCloud.Call.Name
    let body: [String: Any]?

    func answer() throws -> [String: Any] {
        guard let body else { throw StandInWebError.badRequest("Unexpected input") }
        return switch name {
        case .webModifyRecords: try modifyRecords(body)
        case .webLookUpRecords: try lookUpRecords(body)
        case .webQuery: try query(body)
        case .webRecordZoneChanges: try recordZoneChanges(body)
        case .webDatabaseChanges: try databaseChanges(body)
        case .webListZones: try zones(nil)
        case .webLookUpZones: try zones(try list("zones", body).map(zoneID(of:)))
        case .webModifyZones: try modifyZones(body)
        case .webCurrentUser, .webCaller: try currentUser()
        case .webUploadAssets: try uploadAssets(body)
        default: throw StandInWebError("NOT_FOUND", "no service at this path")
        }
    }

    /// The user who is signed in; the older path is deprecated.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/FetchCurrentUserIdentity.html,
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/GetCurrentUser.html
    private func currentUser() throws -> [String: Any] {
        try cloud.perform(name, database) { user, _ in
            guard let user else { throw CKError(.notAuthenticated) }
            let record = StandInCloud.recordName(ofUser: user)
            return name == .webCaller
                ? ["users": [["userRecordName": record]]]
                : ["userRecordName": record, "firstName": NSNull(), "lastName": NSNull()]
        }
    }

    /// An array of the body, at most as long as the limit.
    func list(_ key: String, _ json: [String: Any]) throws -> [[String: Any]] {
        guard let list = json[key] as? [[String: Any]] else { throw StandInWebError.badRequest("\(key) is missing") }
        guard list.count <= web.itemLimit else { throw StandInWebError.badRequest("too many \(key)") }
        return list
    }

    /// The dictionary of a record or a zone, or that of its error.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/ModifyRecords.html
    func item(
        _ key: String, _ value: Any, isCreation: Bool = false, _ body: () throws -> [String: Any]
    ) -> [String: Any] {
        do {
            return try body()
        } catch {
            let failure = StandInWebError(error, isCreation: isCreation) ?? StandInWebError("INTERNAL_ERROR", "lost")
            return failure.json.merging([key: value]) { $1 }
        }
    }

    func optional<Value>(_ key: String, _ json: [String: Any], _ type: Value.Type = Value.self) throws -> Value? {
        guard let value = json[key], !(value is NSNull) else { return nil }
        guard let typed = value as? Value else { throw StandInWebError.badRequest("Unexpected input: \(key)") }
        return typed
    }

    // MARK: Zone IDs

    /// The ID of a zone, by default of the default zone.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html
    func zoneID(_ json: [String: Any]) throws -> CKRecordZone.ID {
        try optional("zoneID", json, [String: Any].self).map(zoneID(of:)) ?? .default
    }

    func zoneID(of json: [String: Any]) throws -> CKRecordZone.ID {
        guard let name = json["zoneName"] as? String, !name.isEmpty else {
            throw StandInWebError.badRequest("zoneName is missing")
        }
        let owner = try optional("ownerRecordName", json, String.self)
        let isOwn = owner == nil || owner == user.map(StandInCloud.recordName(ofUser:)) || owner?.isEmpty == true
        return CKRecordZone.ID(zoneName: name, ownerName: isOwn ? CKCurrentUserDefaultName : owner ?? "")
    }

    /// The dictionary of an ID. The key zoneType is a report, and so is the owner's presence:
    /// https://github.com/brightdigit/MistKit/issues/444
    func json(_ zoneID: CKRecordZone.ID) -> [String: Any] {
        let isDefault = zoneID.zoneName == CKRecordZone.ID.defaultZoneName
        var json = ["zoneName": zoneID.zoneName]
        json["zoneType"] = isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"
        let isOwn = zoneID.ownerName == CKCurrentUserDefaultName
        json["ownerRecordName"] = isOwn ? user.map(StandInCloud.recordName(ofUser:)) : zoneID.ownerName
        return json
    }

    // MARK: Sync tokens

    func text(_ position: StandInPosition) -> String { Data(position.text.utf8).base64EncodedString() }

    func position(_ json: [String: Any]) throws -> StandInPosition? {
        guard let text = try optional("syncToken", json, String.self) else { return nil }
        guard let data = Data(base64Encoded: text), let position = StandInPosition(String(decoding: data, as: UTF8.self))
        else { throw StandInWebError.badRequest("syncToken is invalid") }
        return position
    }
}

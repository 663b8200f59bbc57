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

    /// The dictionary of a record or a zone, or that of its error.
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

    func required<Value>(_ key: String, _ json: [String: Any], _ type: Value.Type = Value.self) throws -> Value {
        guard let value = try optional(key, json, type), value as? String != "" else {
            throw StandInWebError.badRequest("missing required field '\(key)'")
        }
        return value
    }

    /// An array, at most as long as the limit.
    func list(_ key: String, _ json: [String: Any]) throws -> [[String: Any]] {
        let list = try required(key, json, [[String: Any]].self)
        guard list.count <= web.itemLimit else { throw StandInWebError.badRequest("too many \(key)") }
        return list
    }

    /// A limit, at least one: what others do is not documented.
    func limit(_ json: [String: Any]) throws -> Int { max(1, try optional("resultsLimit", json) ?? .max) }

    func keys(_ json: [String: Any]) throws -> [String]? { try optional("desiredKeys", json) }

    /// The page of changes/zone has the second name.
    func asStrings(_ json: [String: Any]) throws -> Bool {
        try optional("numbersAsStrings", json) ?? optional("numberAsStrings", json) ?? false
    }

    /// The ID of a zone, by default of the default zone.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html
    func zoneID(_ json: [String: Any]) throws -> CKRecordZone.ID {
        try optional("zoneID", json, [String: Any].self).map(zoneID(of:)) ?? .default
    }

    func zoneID(of json: [String: Any]) throws -> CKRecordZone.ID {
        let name = try required("zoneName", json, String.self)
        guard let owner = try optional("ownerRecordName", json, String.self), !owner.isEmpty,
            owner != user.map(StandInCloud.recordName(ofUser:))
        else { return CKRecordZone.ID(zoneName: name) }
        return CKRecordZone.ID(zoneName: name, ownerName: owner)
    }

    /// The dictionary of an ID.
    ///
    /// That it has the owner and zoneType is a report: https://github.com/brightdigit/MistKit/issues/444,
    /// github.com/coodly/TalkToCloud, Tests/TalkToCloudTests/RecordDecodeTests.swift
    func json(_ zoneID: CKRecordZone.ID) -> [String: Any] {
        let isDefault = zoneID.zoneName == CKRecordZone.ID.defaultZoneName
        var json = ["zoneName": zoneID.zoneName, "zoneType": isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"]
        let own = user.map(StandInCloud.recordName(ofUser:))
        json["ownerRecordName"] = zoneID.ownerName == CKCurrentUserDefaultName ? own : zoneID.ownerName
        return json
    }

    func text(_ position: StandInPosition) -> String { Data(position.text.utf8).base64EncodedString() }

    func position(_ json: [String: Any]) throws -> StandInPosition? {
        guard let text = try optional("syncToken", json, String.self) else { return nil }
        let position = Data(base64Encoded: text).flatMap { StandInPosition(String(decoding: $0, as: UTF8.self)) }
        return try position ?? { throw StandInWebError.badRequest("syncToken is invalid") }()
    }
}

import CoreLocation
import Foundation

// Field values as dictionaries with the keys value and type:
// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html
//
// The page does not list the types' names: TIMESTAMP and those of lists, such as STRING_LIST, are a report,
// https://github.com/typescriptlibs/tsl-apple-cloudkit/pull/27; ASSETID: github.com/timlaing/pyicloud.
extension StandInWebCall {
    /// The fields of a record, with the desired ones.
    func fields(_ record: StandInRecord, _ keys: [String]?, _ asStrings: Bool) -> [String: Any] {
        record.fields.filter { keys?.contains($0.key) ?? true }.mapValues {
            let (type, value) = json($0, asStrings)
            return ["value": value, "type": type]
        }
    }

    /// The name of a value's type, and the value.
    ///
    /// Whether dates are among the numbers that are sent as strings is [not verified]: here they are not.
    private func json(_ value: StandInValue, _ asStrings: Bool) -> (type: String, value: Any) {
        switch value {
        case .string(let text), .invalid(let text): return ("STRING", text)
        case .integer(let number): return ("INT64", asStrings ? String(number) : NSNumber(value: number))
        case .double(let number): return ("DOUBLE", asStrings ? String(number) : NSNumber(value: number))
        case .date(let date): return ("TIMESTAMP", milliseconds(date))
        case .bytes(let data): return ("BYTES", data.base64EncodedString())
        case .location(let location):
            return ("LOCATION", ["latitude": location.coordinate.latitude, "longitude": location.coordinate.longitude])
        case .reference(let reference):
            let id = reference.recordID, action = reference.action == .deleteSelf ? "DELETE_SELF" : "NONE"
            return ("REFERENCE", ["recordName": id.recordName, "action": action, "zoneID": json(id.zoneID)])
        case .asset(let asset): return ("ASSETID", json(asset))
        case .list(let values):
            let items = values.map { json($0, asStrings) }, types = Set(items.map(\.type))
            // A list of both kinds of numbers is one of doubles. [not verified]
            let type = types.contains("DOUBLE") ? "DOUBLE" : types.first ?? "STRING"
            return (type + "_LIST", items.map(\.value))
        }
    }

    func milliseconds(_ date: Date) -> NSNumber {
        NSNumber(value: Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? .max)
    }

    /// A field's value, or nil for null.
    ///
    /// The type is optional; without it the field's type in the schema decides, then the form. [not verified]
    func value(_ json: Any, _ known: String?, _ id: CKRecord.ID, _ key: String) throws -> StandInValue? {
        guard let field = json as? [String: Any] else { throw StandInWebError.badRequest("Unexpected input: \(key)") }
        guard let value = field["value"], !(value is NSNull) else { return nil }
        let type = try optional("type", field, String.self), target = id.recordName + "/" + key
        let typed = try parsed(value, type ?? known, id.zoneID, target)
        guard let parsed = try typed ?? (type == nil ? parsed(value, nil, id.zoneID, target) : nil) else {
            throw StandInWebError.badRequest("Unexpected input: \(key)")
        }
        return parsed
    }

    private func parsed(_ json: Any, _ type: String?, _ zone: CKRecordZone.ID, _ target: String) throws -> StandInValue?
    {
        switch json {
        case let list as [Any]:
            var item = type
            if let type {
                guard type.hasSuffix("_LIST") || type.hasPrefix("LIST<") else { return nil }
                item = type.hasSuffix("_LIST") ? String(type.dropLast(5)) : String(type.dropFirst(5).dropLast())
            }
            let values = try list.compactMap { try parsed($0, item, zone, target) }
            return values.count == list.count ? .list(values) : nil
        case let text as String:
            return switch type {
            case nil, "STRING": .string(text)
            case "BYTES": Data(base64Encoded: text).map(StandInValue.bytes)
            case "INT64": Int64(text).map(StandInValue.integer)
            case "DOUBLE": Double(text).map(StandInValue.double)
            case "TIMESTAMP": Double(text).flatMap(date)
            default: nil
            }
        case let number as NSNumber:
            let isFraction = String(cString: number.objCType) == "d"
            return switch type {
            case "DOUBLE": .double(number.doubleValue)
            case "TIMESTAMP": date(number.doubleValue)
            case nil where isFraction, "NUMBER" where isFraction: .double(number.doubleValue)
            case nil, "INT64", "NUMBER": Int64(exactly: number).map(StandInValue.integer)  // true is 1 [not verified]
            default: nil
            }
        case let fields as [String: Any]: return try parsed(fields, type, zone, target)
        default: return nil
        }
    }

    private func parsed(
        _ json: [String: Any], _ type: String?, _ zone: CKRecordZone.ID, _ target: String
    ) throws -> StandInValue? {
        if let name = json["recordName"] as? String, !name.isEmpty, type ?? "REFERENCE" == "REFERENCE" {
            // Without a zone, that of the record. [not verified]
            let zoneID = try optional("zoneID", json, [String: Any].self).map(zoneID(of:)) ?? zone
            // The action is required; VALIDATE has no counterpart in the native interface, and none here.
            let actions: [String: CKRecord.ReferenceAction] = ["NONE": .none, "DELETE_SELF": .deleteSelf]
            return (json["action"] as? String).flatMap { actions[$0] }.map {
                .reference(CKRecord.Reference(recordID: CKRecord.ID(recordName: name, zoneID: zoneID), action: $0))
            }
        }
        if let latitude = json["latitude"] as? NSNumber, let longitude = json["longitude"] as? NSNumber,
            type ?? "LOCATION" == "LOCATION"
        {
            return .location(CLLocation(latitude: latitude.doubleValue, longitude: longitude.doubleValue))
        }
        return ["ASSET", "ASSETID"].contains(type ?? "ASSET") ? .asset(try asset(json, target)) : nil
    }

    private func date(_ milliseconds: Double) -> StandInValue? {
        milliseconds.magnitude < 1e16 ? .date(Date(timeIntervalSince1970: milliseconds / 1_000)) : nil
    }
}

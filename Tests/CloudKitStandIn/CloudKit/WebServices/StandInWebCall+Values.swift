import CoreLocation
import Foundation

// Field values as dictionaries with the keys value and type:
// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html
//
// The page does not list the types' names: TIMESTAMP and those of lists, such as STRING_LIST, are a report,
// https://github.com/typescriptlibs/tsl-apple-cloudkit/pull/27; ASSETID [not verified].
extension StandInWebCall {
    /// The fields of a record, with the desired ones.
    func fields(_ record: StandInRecord, _ keys: [String]?, _ asStrings: Bool) -> [String: Any] {
        var fields: [String: Any] = [:]
        for (key, value) in record.fields where keys?.contains(key) ?? true {
            fields[key] = ["value": json(value, asStrings), "type": typeName(value)]
        }
        return fields
    }

    private func typeName(_ value: StandInValue) -> String {
        switch value {
        case .string, .invalid: return "STRING"
        case .integer: return "INT64"
        case .double: return "DOUBLE"
        case .date: return "TIMESTAMP"
        case .bytes: return "BYTES"
        case .location: return "LOCATION"
        case .reference: return "REFERENCE"
        case .asset: return "ASSETID"
        case .list(let values):
            // A list of both kinds of numbers is one of doubles. [not verified]
            let names = Set(values.map(typeName))
            return (names.contains("DOUBLE") ? "DOUBLE" : names.first ?? "STRING") + "_LIST"
        }
    }

    /// Whether dates are among the numbers that are sent as strings is [not verified]: here they are not.
    private func json(_ value: StandInValue, _ asStrings: Bool) -> Any {
        switch value {
        case .string(let text), .invalid(let text): return text
        case .integer(let number): return asStrings ? String(number) : NSNumber(value: number)
        case .double(let number): return asStrings ? String(number) : NSNumber(value: number)
        case .date(let date): return milliseconds(date)
        case .bytes(let data): return data.base64EncodedString()
        case .location(let location):
            return ["latitude": location.coordinate.latitude, "longitude": location.coordinate.longitude]
        case .reference(let reference):
            let action = reference.action == .deleteSelf ? "DELETE_SELF" : "NONE"
            let id = reference.recordID
            return ["recordName": id.recordName, "action": action, "zoneID": json(id.zoneID)]
        case .asset(let asset): return json(asset)
        case .list(let values): return values.map { json($0, asStrings) }
        }
    }

    func milliseconds(_ date: Date) -> NSNumber {
        NSNumber(value: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }

    /// A field's value, or nil for null.
    ///
    /// The type is optional; without it the field's type in the schema decides, then the form. [not verified]
    func value(_ json: Any, _ known: String?, _ id: CKRecord.ID, _ key: String) throws -> StandInValue? {
        guard let field = json as? [String: Any] else { throw StandInWebError.badRequest("Unexpected input: \(key)") }
        guard let value = field["value"], !(value is NSNull) else { return nil }
        let type = try optional("type", field, String.self) ?? known
        guard let parsed = try parsed(value, type, id.zoneID, id.recordName + "/" + key) else {
            throw StandInWebError.badRequest("Unexpected input: \(key) as \(type ?? "any type")")
        }
        return parsed
    }

    private func parsed(
        _ json: Any, _ type: String?, _ zone: CKRecordZone.ID, _ target: String
    ) throws -> StandInValue? {
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
            case "TIMESTAMP": Double(text).map(date)
            default: nil
            }
        case let number as NSNumber:
            let isFraction = String(cString: number.objCType) == "d"
            return switch type {
            case "DOUBLE": .double(number.doubleValue)
            case "TIMESTAMP": date(number.doubleValue)
            case nil where isFraction, "NUMBER" where isFraction: .double(number.doubleValue)
            // True and false are 1 and 0. [not verified]
            case nil, "INT64", "NUMBER": number.objCType.pointee == 99 ? .integer(number.int64Value) : Int64("\(number)").map(StandInValue.integer)
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

    private func date(_ milliseconds: Double) -> StandInValue {
        .date(Date(timeIntervalSince1970: milliseconds / 1_000))
    }
}

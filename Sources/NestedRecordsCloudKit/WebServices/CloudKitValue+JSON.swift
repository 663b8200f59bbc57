import Foundation
import NestedRecords

extension CloudKitValue {
    /// The dictionary of a field.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html
    func json(in zone: JSONValue?) -> JSONValue {
        .object(["value": value(in: zone), "type": typeName.json])
    }

    /// The name of the type, in requests and in schemas.
    var typeName: String {
        switch self {
        case .string: "STRING"
        case .integer: "INT64"
        case .double: "DOUBLE"
        case .date: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .list(let values): (values.first?.typeName ?? "STRING") + "_LIST"
        case .file: "ASSET"
        case .foreign: "STRING"
        }
    }

    private func value(in zone: JSONValue?) -> JSONValue {
        switch self {
        case .string(let text): return .text(text)
        case .integer(let number): return .text(String(number))
        case .double(let number): return JSONValue(.number(number))
        case .date(let date):
            return JSONValue(.integer(Int64((date.timeIntervalSince1970 * 1_000).rounded(.down))))
        case .bytes(let data): return .text(data.base64EncodedString())
        case .location(let place):
            return .object([
                "latitude": JSONValue(.number(place.latitude)), "longitude": JSONValue(.number(place.longitude)),
            ])
        case .reference(let reference):
            return .object([
                "recordName": .text(reference.recordName),
                "action": reference.isOwned ? "DELETE_SELF".json : "NONE".json,
                "zoneID": zone,
            ])
        case .list(let values): return .list(values.map { $0.value(in: zone) })
        // The value of a file is the answer to its upload.
        case .file, .foreign: return .null
        }
    }

    /// The value of a field's dictionary; of a kind that records lack, if it has another form.
    init(_ json: JSONValue) {
        let type = json["type"]?.text ?? ""
        self = json["value"].flatMap { Self.value($0, type) } ?? .foreign(Self.foreignKind(type))
    }

    private static func foreignKind(_ type: String) -> Foreign {
        switch type {
        case "ASSET", "ASSETID": .asset
        case "LOCATION": .location
        default: elementType(of: type) == nil ? .other : .list
        }
    }

    /// The type of the elements of a list; nil for other types.
    private static func elementType(of type: String) -> String? {
        let suffix = Array("_LIST".utf8)
        guard type.utf8.count > suffix.count, type.utf8.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        return String(type.utf8.dropLast(suffix.count))
    }

    private static func value(_ json: JSONValue, _ type: String) -> CloudKitValue? {
        if let elements = json.elements {
            guard let type = elementType(of: type) else { return nil }
            if elements.isEmpty { return .foreign(.emptyList) }
            let values = elements.map { value($0, type) }
            return values.contains { $0 == nil } ? nil : .list(values.compactMap { $0 })
        }
        switch type {
        case "STRING": return json.text.map { .string($0) }
        case "INT64": return integer(json).map { .integer($0) }
        case "DOUBLE": return double(json).map { .double($0) }
        case "TIMESTAMP":
            return double(json).map { .date(Date(timeIntervalSince1970: $0 / 1_000)) }
        case "BYTES": return json.text.flatMap { Data(base64Encoded: $0) }.map { .bytes($0) }
        case "LOCATION":
            guard let latitude = json["latitude"].flatMap(double), let longitude = json["longitude"].flatMap(double)
            else { return nil }
            return (try? Location(latitude: latitude, longitude: longitude)).map { .location($0) }
        case "REFERENCE":
            return json["recordName"]?.text.map {
                .reference(CloudKitReference(recordName: $0, isOwned: json["action"]?.text == "DELETE_SELF"))
            }
        default: return nil
        }
    }

    /// An integer, which may be a string.
    private static func integer(_ json: JSONValue) -> Int64? {
        if case .integer(let number) = json.content { return number }
        return json.text.flatMap { Int64($0) }
    }

    private static func double(_ json: JSONValue) -> Double? { json.double ?? json.text.flatMap { Double($0) } }
}

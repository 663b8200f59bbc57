import NestedRecords

/// The bytes of documents as Firestore counts them.
///
/// https://firebase.google.com/docs/firestore/storage-size
enum DocumentSize {
    /// The maximum of a document.
    ///
    /// https://firebase.google.com/docs/firestore/quotas#limits
    static let most = (1 << 20) - 4

    static func bytes(ofDocument path: String, fields: JSONValue) -> Int { name(path) + members(fields) + 32 }

    /// The field that takes the most room, except the library's own.
    static func largestField(_ fields: JSONValue) -> String? {
        guard let object = fields.object else { return nil }
        return zip(object.keys, object.values).filter { $0.0 != Shadow.field }.max { value($0.1) < value($1.1) }?.0
    }

    private static func text(_ text: String) -> Int { text.utf8.count + 1 }

    /// The collections and documents of a path, without those of the project and the database.
    private static func name(_ path: String) -> Int {
        DocumentNames.parts(of: path).dropFirst(5).reduce(16) { $0 + $1.utf8.count + 1 }
    }

    private static func members(_ fields: JSONValue?) -> Int {
        guard let object = fields?.object else { return 0 }
        return zip(object.keys, object.values).reduce(0) { $0 + text($1.0) + value($1.1) }
    }

    private static func value(_ json: JSONValue) -> Int {
        guard let (kind, content) = json.onlyMember else { return 0 }
        switch kind {
        case "nullValue", "booleanValue": return 1
        case "stringValue": return text(content.text ?? "")
        case "bytesValue": return (content.text?.utf8.count ?? 0) / 4 * 3
        case "geoPointValue": return 16
        case "referenceValue": return name(content.text ?? "")
        case "arrayValue": return content["values"]?.elements?.reduce(0) { $0 + value($1) } ?? 0
        case "mapValue": return members(content["fields"]) + 32
        default: return 8
        }
    }
}

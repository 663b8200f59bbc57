/// The key of an object that represents a value without a JSON form of its own.
enum TypedMark: String, CaseIterable {
    case reference = "$ref"
    case date = "$date"
    case bytes = "$bytes"
    case location = "$location"
    case double = "$double"
    case map = "$map"
    case serverTimestamp = "$serverTimestamp"

    /// Whether a key is a mark or looks like one; a map with such a key is marked itself.
    static func isMark(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "$") && key.hasPrefix("$")  // Characters: "$" with an accent is not a mark
    }
}

enum TypedKey {
    static let roots = "roots"
    static let records = "records"
    static let id = "id"
    static let fields = "fields"
    static let metadata = "metadata"
    static let changeTag = "changeTag"
    static let creationDate = "creationDate"
    static let modificationDate = "modificationDate"
    static let link = "link"
    static let action = "action"
}

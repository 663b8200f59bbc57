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

    /// Whether a key is a mark or looks like one; a map with such a key is marked itself.
    static func isMark(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "$") && key.hasPrefix("$")  // Characters: "$" with an accent is not a mark
    }
}

/// A value of a JSON document, with the place where it begins.
///
/// An integer and a number with a fraction or an exponent are different kinds, as they are in records.
struct JSONValue: Sendable {
    /// What the value is.
    let content: Content

    /// The offset of its first byte in the document.
    let offset: Int

    /// The kinds of values.
    enum Content: Sendable {
        case null
        case bool(Bool)
        /// A number without fraction and exponent.
        case integer(Int64)
        /// Any other number, and `-0`.
        case number(Double)
        case text(String)
        case array([JSONValue])
        case object(JSONObject)
    }

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - content: What it is.
    ///   - offset: Where it begins; 0 for a value that stands in no document.
    init(_ content: Content, at offset: Int = 0) {
        self.content = content
        self.offset = offset
    }

    /// The name of the value's kind, for errors.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a truth value"
        case .integer: "an integer"
        case .number: "a number"
        case .text: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object in the order in which they stand.
///
/// Objects with the same keys in the same order share the storage of the keys.
struct JSONObject: Sendable {
    /// The keys, each once.
    let keys: [String]

    /// The value of each key.
    let values: [JSONValue]

    /// The value of a key, nil where there is none.
    subscript(key: String) -> JSONValue? {
        keys.firstIndex(of: key).map { values[$0] }
    }
}

/// A value of a JSON document, with its offset.
///
/// Integers, and numbers with a fraction or an exponent, are different kinds, as in records.
package struct JSONValue: Sendable {
    package let content: Content
    package let offset: Int

    package enum Content: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// Any other number, and `-0`.
        case number(Double)
        case text(String)
        case array([JSONValue])
        case object(JSONObject)
    }

    package init(_ content: Content, at offset: Int = 0) {
        self.content = content
        self.offset = offset
    }

    package var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .text: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

package struct JSONObject: Sendable {
    /// The keys as field names, which they may become; nil if there are none.
    let names: FieldNames?

    package let values: [JSONValue]

    init(_ names: FieldNames?, values: [JSONValue]) {
        self.names = names
        self.values = values
    }

    package init(keys: [String], values: [JSONValue]) {
        self.init(FieldNames(keys), values: values)
    }

    package var keys: [String] { names?.names ?? [] }

    package subscript(key: String) -> JSONValue? {
        names?.list.position(of: key).map { values[$0] }
    }
}

import NestedRecords

extension JSONValue {
    static let null = JSONValue(.null)

    static func text(_ text: String) -> JSONValue { JSONValue(.text(text)) }

    static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

    static func integer(_ value: Int) -> JSONValue { JSONValue(.integer(Int64(value))) }

    static func list(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }

    /// An object; members without a value are left out.
    static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        let members = members.compactMap { name, value in value.map { (name, $0) } }
        return object(names: members.map(\.0), members.map(\.1))
    }

    static func object(names: [String], _ values: [JSONValue]) -> JSONValue {
        JSONValue(.object(JSONObject(keys: names, values: values)))
    }

    var text: String? { if case .text(let text) = content { text } else { nil } }

    var bool: Bool? { if case .bool(let value) = content { value } else { nil } }

    var double: Double? {
        // Not one `switch`: with it, the optimized build of `FirestoreFailure` crashes the compiler of Swift 6.3.
        if case .integer(let value) = content { return Double(value) }
        return if case .number(let value) = content { value } else { nil }
    }

    var elements: [JSONValue]? { if case .array(let elements) = content { elements } else { nil } }

    var object: JSONObject? { if case .object(let object) = content { object } else { nil } }

    /// A member of an object; nil without it, and for other values.
    subscript(name: String) -> JSONValue? { object?[name] }

    /// The only member of an object; nil for other objects and values.
    var onlyMember: (name: String, value: JSONValue)? {
        guard let object, object.values.count == 1 else { return nil }
        return (object.keys[0], object.values[0])
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.takeBytes()
    }

    init(reading bytes: [UInt8]) throws {
        var reader = JSONReader()
        self = try reader.value(in: bytes)
    }
}

extension String {
    var json: JSONValue { .text(self) }
}

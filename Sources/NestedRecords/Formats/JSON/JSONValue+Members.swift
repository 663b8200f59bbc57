extension JSONValue {
    package static let null = JSONValue(.null)

    package static func text(_ text: String) -> JSONValue { JSONValue(.text(text)) }

    package static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

    package static func integer(_ value: Int) -> JSONValue { JSONValue(.integer(Int64(value))) }

    package static func list(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }

    /// An object; members without a value are left out.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        let members = members.compactMap { name, value in value.map { (name, $0) } }
        return object(names: members.map(\.0), members.map(\.1))
    }

    package static func object(names: [String], _ values: [JSONValue]) -> JSONValue {
        JSONValue(.object(JSONObject(keys: names, values: values)))
    }

    package var text: String? { if case .text(let text) = content { text } else { nil } }

    package var bool: Bool? { if case .bool(let value) = content { value } else { nil } }

    package var double: Double? {
        // Not one `switch`: with it, the optimized build of `FirestoreFailure` crashes the compiler of Swift 6.3.
        if case .integer(let value) = content { return Double(value) }
        return if case .number(let value) = content { value } else { nil }
    }

    package var elements: [JSONValue]? { if case .array(let elements) = content { elements } else { nil } }

    package var object: JSONObject? { if case .object(let object) = content { object } else { nil } }

    /// A member of an object; nil without it, and for other values.
    package subscript(name: String) -> JSONValue? { object?[name] }

    /// The only member of an object; nil for other objects and values.
    package var onlyMember: (name: String, value: JSONValue)? {
        guard let object, object.values.count == 1 else { return nil }
        return (object.keys[0], object.values[0])
    }

    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.takeBytes()
    }

    package init(reading bytes: [UInt8]) throws {
        var reader = JSONReader()
        self = try reader.value(in: bytes)
    }
}

extension String {
    package var json: JSONValue { .text(self) }
}

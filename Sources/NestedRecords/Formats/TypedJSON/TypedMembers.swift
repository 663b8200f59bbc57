struct TypedMembers {
    private let object: JSONObject
    private let offset: Int
    private var known: [String] = []

    init(_ value: JSONValue, expected: String) throws(JSONFault) {
        (object, offset) = (try value.object(expected: expected), value.offset)
    }

    init(_ object: JSONObject, at offset: Int) { (self.object, self.offset) = (object, offset) }

    /// The value of a key; nil if it is missing or null.
    mutating func optional(_ key: String) -> JSONValue? {
        known.append(key)
        guard let value = object[key], value.kind != "null" else { return nil }
        return value
    }

    mutating func required(_ key: String) throws(JSONFault) -> JSONValue {
        known.append(key)
        if let value = object[key] { return value }
        let reason = "found an object without the key '\(key)', expected one with it"
        throw JSONFault(reason: reason, offset: offset)
    }

    /// Checks that every member was read: the value of an unknown key would be lost.
    func expectNoOther() throws(JSONFault) {
        for (key, value) in zip(object.keys, object.values) where !known.contains(key) {
            let names = known.map { "'\($0)'" }.joined(separator: ", ")
            throw JSONFault(reason: "found the key '\(key)', expected no other than \(names)", offset: value.offset)
        }
    }
}

extension JSONValue {
    func object(expected: String) throws(JSONFault) -> JSONObject {
        if case .object(let object) = content { return object }
        throw unexpected(expected)
    }

    func list(expected: String) throws(JSONFault) -> [JSONValue] {
        if case .array(let elements) = content { return elements }
        throw unexpected(expected)
    }

    func text(expected: String) throws(JSONFault) -> String {
        if case .text(let text) = content { return text }
        throw unexpected(expected)
    }

    func unexpected(_ expected: String) -> JSONFault {
        JSONFault(reason: "found \(kind), expected \(expected)", offset: offset)
    }
}

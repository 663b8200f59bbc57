/// The members of an object with known keys, and which of them were read.
struct TypedMembers {
    private let object: JSONObject
    private let offset: Int
    private var known: [String] = []

    /// Makes members of which none was read.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - offset: The offset of the object.
    init(_ object: JSONObject, at offset: Int) {
        self.object = object
        self.offset = offset
    }

    /// The value of a key; nil if it is missing or null.
    mutating func optional(_ key: String) -> JSONValue? {
        known.append(key)
        guard let value = object[key], value.kind != "null" else { return nil }
        return value
    }

    /// The value of a key.
    ///
    /// - Throws: ``JSONFault`` if the key is missing.
    mutating func required(_ key: String) throws(JSONFault) -> JSONValue {
        known.append(key)
        if let value = object[key] { return value }
        let reason = "found an object without the key '\(key)', expected one with it"
        throw JSONFault(reason: reason, offset: offset)
    }

    /// Checks that every member was read.
    ///
    /// - Throws: ``JSONFault`` for the first unread member.
    func expectNoOther() throws(JSONFault) {
        for (key, value) in zip(object.keys, object.values) where !known.contains(key) {
            throw JSONFault(reason: TypedKey.reason(against: key, known: known), offset: value.offset)
        }
    }
}

extension JSONValue {
    /// The members of an object.
    ///
    /// - Parameter expected: The description of the object in the error.
    /// - Throws: ``JSONFault`` for another kind of value.
    func object(expected: String) throws(JSONFault) -> JSONObject {
        if case .object(let object) = content { return object }
        throw unexpected(expected)
    }

    /// The string.
    ///
    /// - Parameter expected: The description of the string in the error.
    /// - Throws: ``JSONFault`` for another kind of value.
    func text(expected: String) throws(JSONFault) -> String {
        if case .text(let text) = content { return text }
        throw unexpected(expected)
    }

    /// The fault of an unexpected kind of value.
    func unexpected(_ expected: String) -> JSONFault {
        JSONFault(reason: "found \(kind), expected \(expected)", offset: offset)
    }
}

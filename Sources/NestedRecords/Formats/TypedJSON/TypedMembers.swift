/// The members of an object whose keys are known, and which of them were read.
struct TypedMembers {
    private let object: JSONObject
    private let offset: Int
    private var known: [String] = []

    /// Begins with no member read.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - offset: Where it begins.
    init(_ object: JSONObject, at offset: Int) {
        self.object = object
        self.offset = offset
    }

    /// The value of a key; nil where there is none, or null.
    mutating func optional(_ key: String) -> JSONValue? {
        known.append(key)
        guard let value = object[key], value.kind != "null" else { return nil }
        return value
    }

    /// The value of a key.
    ///
    /// - Throws: ``JSONFault`` if there is none.
    mutating func required(_ key: String) throws(JSONFault) -> JSONValue {
        known.append(key)
        if let value = object[key] { return value }
        let reason = "found an object without the key '\(key)', expected one with it"
        throw JSONFault(reason: reason, offset: offset)
    }

    /// Makes sure that every member was read.
    ///
    /// - Throws: ``JSONFault`` for the first one that was not.
    func expectNoOther() throws(JSONFault) {
        for (key, value) in zip(object.keys, object.values) where !known.contains(key) {
            throw JSONFault(reason: TypedKey.reason(against: key, known: known), offset: value.offset)
        }
    }
}

extension JSONValue {
    /// The members of an object.
    ///
    /// - Parameter expected: What to call it in the error.
    /// - Throws: ``JSONFault`` for another kind of value.
    func object(expected: String) throws(JSONFault) -> JSONObject {
        if case .object(let object) = content { return object }
        throw unexpected(expected)
    }

    /// The text.
    ///
    /// - Parameter expected: What to call it in the error.
    /// - Throws: ``JSONFault`` for another kind of value.
    func text(expected: String) throws(JSONFault) -> String {
        if case .text(let text) = content { return text }
        throw unexpected(expected)
    }

    /// The fault of this kind of value, where another one is expected.
    func unexpected(_ expected: String) -> JSONFault {
        JSONFault(reason: "found \(kind), expected \(expected)", offset: offset)
    }
}

@testable import records

extension JSONValue {
    /// The elements of a list, no values for another kind.
    var elements: [JSONValue] {
        if case .array(let values) = content { values } else { [] }
    }

    /// The keys of an object, none for another kind.
    var keys: [String] {
        if case .object(let object) = content { object.keys } else { [] }
    }

    /// The value of an object's key.
    subscript(key: String) -> JSONValue? {
        if case .object(let object) = content { object[key] } else { nil }
    }
}

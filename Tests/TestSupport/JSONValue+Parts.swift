package import NestedRecords

extension JSONValue {
    /// The elements of a list, no values for another kind.
    package var items: [JSONValue] {
        if case .array(let values) = content { values } else { [] }
    }

    /// The keys of an object, none for another kind.
    package var keys: [String] {
        if case .object(let object) = content { object.keys } else { [] }
    }
}

import NestedRecords

extension Record.Value {
    /// The kind in a word.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "Boolean"
        case .int: "integer"
        case .double: "number"
        case .string: "string"
        case .date, .serverTimestamp: "date"
        case .bytes: "bytes"
        case .location: "location"
        case .reference: "reference"
        case .map where numberDigits != nil: "number"
        case .map: "map"
        case .list: "list"
        }
    }

    /// The kind, with those of a list's elements and the type of a reference.
    var shortKind: String {
        switch self {
        case .reference(let reference): "→ \(reference.id.type)"
        case .list(let values) where !values.isEmpty:
            "list of " + Set(values.map(\.kindInList)).sorted().joined(separator: ", ")
        default: kind
        }
    }

    /// The kind of an element; lists in lists are not looked into.
    private var kindInList: String {
        if case .list = self { kind } else { shortKind }
    }
}

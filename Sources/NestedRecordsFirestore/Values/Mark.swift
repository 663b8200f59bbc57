import NestedRecords

/// The only member of a map that represents another value.
///
/// A map of the user with such a member is in another map, ``map``.
enum Mark: String, CaseIterable {
    // In a document, for values of a record that Firestore lacks.

    /// A list in a list.
    case list = "$list"

    /// The date of the save, within a list.
    case now = "$now"

    /// A reference to a record that Firestore cannot name.
    case record = "$record"

    /// A list or a map in the binary form, which is too deeply nested.
    case binary = "$binary"

    /// A map of the user that has a mark.
    case map = "$map"

    // In a record, for values of a document that records lack.

    /// A reference to a document that is not a record of this database.
    case reference = "$reference"

    /// A vector.
    case vector = "$vector"

    /// Any other value, as JSON.
    case firestore = "$firestore"

    init?(of fields: Record.Fields) {
        guard fields.count == 1, let first = fields.first, let mark = Mark(rawValue: first.name) else { return nil }
        self = mark
    }
}

extension JSONValue {
    static func marked(_ mark: Mark, _ value: JSONValue) -> JSONValue {
        .object(["mapValue": .object(["fields": .object(names: [mark.rawValue], [value])])])
    }
}

/// The member of a map with those whose names Firestore refuses, as a map in the binary form.
///
/// The others have their own places, where queries find them.
enum RestOfMap {
    static let member = "$rest"

    /// Whether a member is in the rest; the user's own `$rest` is, too.
    static func takes(_ name: String) -> Bool { name == member || DocumentNames.fieldFault(name) != nil }
}

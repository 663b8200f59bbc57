/// A test whether a type of keys, with a type's ignored properties, has a key for a field.
struct KeyTest: Sendable {
    let keyType: ObjectIdentifier
    let ignored: Set<String>
    let knows: @Sendable (String) -> Bool

    func isSame(as other: KeyTest) -> Bool { keyType == other.keyType && ignored == other.ignored }
}

extension KeyTest {
    /// - Parameters:
    ///   - keys: The type of keys.
    ///   - ignored: The names of the properties that are not read.
    ///   - formerNames: The names that properties had before.
    ///   - naming: How properties become fields.
    init<Key: CodingKey>(
        _ keys: Key.Type, ignored: Set<String>, formerNames: [String: [String]], _ naming: FieldNaming
    ) {
        self.init(keyType: ObjectIdentifier(keys), ignored: ignored) { field in
            if let key = naming.key(Key.self, forField: field) { return !ignored.contains(key.stringValue) }
            // A former field of a property, or a part of one.
            return formerNames.contains { property, names in
                Key(stringValue: property) != nil
                    && TypeHistory.formerFields(names, naming.keyStrategy).contains { name in
                        field == name
                            || naming.separator.map { field.utf8.starts(with: (name + $0).utf8) } ?? false
                    }
            }
        }
    }
}

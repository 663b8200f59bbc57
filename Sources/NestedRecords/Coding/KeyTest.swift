/// A test whether a type of keys, with a type's ignored properties, has a key for a field.
struct KeyTest: Sendable {
    let keyType: ObjectIdentifier
    let ignored: Set<String>
    let knows: @Sendable (String) -> Bool

    init(keyType: ObjectIdentifier, ignored: Set<String>, knows: @escaping @Sendable (String) -> Bool) {
        self.keyType = keyType
        self.ignored = ignored
        self.knows = knows
    }

    /// - Parameters:
    ///   - keys: The type of keys.
    ///   - ignored: The names of the properties that are not read.
    ///   - formerNames: The names that properties had before.
    ///   - naming: How properties become fields.
    init<Key: CodingKey>(
        _ keys: Key.Type, ignored: Set<String>, formerNames: [String: [String]], _ naming: FieldNaming
    ) {
        self.init(keyType: ObjectIdentifier(keys), ignored: ignored) { field in
            guard let key = naming.key(Key.self, forField: field) else {
                return TypeHistory.hasFormerField(field, of: Key.self, formerNames, naming)
            }
            return !ignored.contains(key.stringValue)
        }
    }

    func isSame(as other: KeyTest) -> Bool { keyType == other.keyType && ignored == other.ignored }
}

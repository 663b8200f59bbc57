struct KeyTest: Sendable {
    let keyType: ObjectIdentifier
    let ignored: Set<String>
    let knows: @Sendable (String) -> Bool

    func isSame(as other: KeyTest) -> Bool { keyType == other.keyType && ignored == other.ignored }
}

extension KeyTest {
    init<Key: CodingKey>(
        _ keys: Key.Type, ignored: Set<String>, formerNames: [String: [String]], stored: [String: Bool] = [:],
        _ naming: FieldNaming
    ) {
        @Sendable func mayFollow(_ key: Key) -> Bool {
            !ignored.contains(key.stringValue) && stored[key.caseName ?? key.stringValue] ?? true
        }
        // Some strategies cannot convert a field to its key.
        let fields =
            naming.renames
            ? stored.filter(\.value).keys.filter { Key(stringValue: $0).map(mayFollow) ?? false }.map(
                naming.keyStrategy.fieldName) : []
        self.init(keyType: ObjectIdentifier(keys), ignored: ignored) { [fields = Set(fields)] field in
            if let key = naming.key(Key.self, forField: field) { return mayFollow(key) }
            if fields.contains(field) { return true }
            // A former field of a property, or a part of it.
            return formerNames.contains { property, names in
                Key(stringValue: property).map(mayFollow) ?? false
                    && naming.keyStrategy.formerFields(of: names).contains { name in
                        field == name
                            || naming.separator.map { field.utf8.starts(with: (name + $0).utf8) } ?? false
                    }
            }
        }
    }
}

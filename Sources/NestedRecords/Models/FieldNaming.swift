/// Maps fields to the properties that they belong to, where embedded values may be spread over several fields.
struct FieldNaming: Sendable {
    let keyStrategy: KeyStrategy

    /// The separator between the names of flattened fields; nil where values are not flattened.
    let separator: String?

    let renames: Bool

    /// Whether every field has the name of its property, so that the knowledge about a type holds in every call.
    var isPlain: Bool { separator == nil && !renames }

    init(_ keyStrategy: KeyStrategy, _ embeddingStrategy: EmbeddingStrategy) {
        self.keyStrategy = keyStrategy
        renames = if case .unchanged = keyStrategy { false } else { true }
        if case .flattened(let separator) = embeddingStrategy {
            self.separator = separator
        } else {
            separator = nil
        }
    }

    /// The key of this type that a field belongs to: the key of the field itself, otherwise the key with the longest
    /// name whose flattened value may have the field.
    func key<Key: CodingKey>(_ type: Key.Type, forField name: String) -> Key? {
        if let key = keyStrategy.key(type, forField: name) { return key }
        guard let separator else { return nil }
        return name.beginnings(before: separator).reversed().lazy
            .compactMap { keyStrategy.key(type, forField: $0) }.first
    }

    /// Whether a type of keys accepts every name, so that no field can be recognized as part of a flattened value.
    static func isOpen<Key: CodingKey>(_: Key.Type) -> Bool {
        !ByteKey.fits(Key.self) && Key(stringValue: "\0 no property has this name") != nil
    }
}

/// Finds the keys of fields and caches the answers: some strategies try many spellings.
final class FieldKeyResolver {
    private struct Field: Hashable {
        let keyType: ObjectIdentifier
        let name: String
    }

    private let naming: FieldNaming
    private var keys: [Field: String?] = [:]

    init(_ naming: FieldNaming) {
        self.naming = naming
    }

    func key<Key: CodingKey>(_ type: Key.Type, forField name: String) -> Key? {
        let field = Field(keyType: ObjectIdentifier(type), name: name)
        if let known = keys[field] { return known.flatMap(Key.init(stringValue:)) }
        // Outside of every access to the dictionary: a key may start a call itself.
        let key = naming.key(type, forField: name)
        let name = key?.stringValue
        keys[field] = name
        return key
    }
}

/// What is known of how a type codes its properties: the type of the keys that it asks a decoder for.
struct PropertyKeys {
    private let keyType: any CodingKey.Type

    /// Asks a type for its keys; nil if it asks for no container with keys.
    ///
    /// The type sees a decoder that throws when it is asked for a container.
    init?(of type: any Decodable.Type, userInfo: [CodingUserInfoKey: any Sendable]) {
        let answer = KeyTypeDecoder.Answer()
        _ = try? type.init(from: KeyTypeDecoder(values: userInfo, answer: answer))
        guard let keyType = answer.keyType else { return nil }
        self.keyType = keyType
    }

    /// Whether there is a key with the name of a property, which is that property's.
    func hasKey(named name: String) -> Bool { keyType.isKey(named: name) }
}

extension CodingKey {
    /// Whether the key of this name is the case of this name: another case may have it as its string.
    fileprivate static func isKey(named name: String) -> Bool {
        guard let key = Self(stringValue: name), key.stringValue == name else { return false }
        return key.caseName.map { $0 == name } ?? true
    }
}

/// Notes the type of keys that it is asked for.
private struct KeyTypeDecoder: Decoder {
    final class Answer {
        var keyType: (any CodingKey.Type)?
    }

    struct Asked: Error {}

    let values: [CodingUserInfoKey: any Sendable]
    let answer: Answer
    var userInfo: [CodingUserInfoKey: Any] { values }
    var codingPath: [any CodingKey] { [] }

    func container<Key: CodingKey>(keyedBy keyType: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if answer.keyType == nil { answer.keyType = keyType }
        throw Asked()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Asked() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Asked() }
}

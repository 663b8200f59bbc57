/// The way a type reads its properties: the keys of the first keyed container that it requests from a decoder.
struct PropertyKeys {
    /// The type of the keys; nil where the type reads a list or a single value.
    let keyType: (any CodingKey.Type)?

    /// Finds the keys of a type; nil if it requests no container.
    ///
    /// The decoder that the type sees throws an error when a container is requested.
    init?(of type: any Decodable.Type, _ record: Record.ID? = nil, userInfo: [CodingUserInfoKey: any Sendable]) {
        let answer = KeyTypeDecoder.Answer()
        var userInfo = userInfo
        userInfo[.recordID] = record
        _ = try? type.init(from: KeyTypeDecoder(values: userInfo, answer: answer))
        guard answer.isAsked else { return nil }
        keyType = answer.keyType
    }

    func hasKey(named name: String) -> Bool { keyType?.isKey(named: name) ?? false }
}

extension CodingKey {
    fileprivate static func isKey(named name: String) -> Bool {
        guard let key = Self(stringValue: name), key.stringValue == name else { return false }
        return key.caseName.map { $0 == name } ?? true
    }
}

private struct KeyTypeDecoder: Decoder {
    final class Answer {
        var isAsked = false
        var keyType: (any CodingKey.Type)?
    }

    struct Asked: Error {}

    let values: [CodingUserInfoKey: any Sendable]
    let answer: Answer
    var userInfo: [CodingUserInfoKey: Any] { values }
    var codingPath: [any CodingKey] { [] }

    private func refusal(_ keyType: (any CodingKey.Type)? = nil) -> any Error {
        answer.isAsked = true
        // A type may try a single value first.
        if answer.keyType == nil { answer.keyType = keyType }
        return Asked()
    }

    func container<Key: CodingKey>(keyedBy keyType: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw refusal(keyType)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal() }
}

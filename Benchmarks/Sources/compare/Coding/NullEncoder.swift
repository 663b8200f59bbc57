/// An encoder that visits a value and stores nothing: the cost of `Codable` itself.
struct NullEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NullKeyedContainer<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { NullContainer() }

    func singleValueContainer() -> any SingleValueEncodingContainer { NullContainer() }
}

private struct NullKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey: Key) {}
    mutating func encode(_: Bool, forKey: Key) {}
    mutating func encode(_: String, forKey: Key) {}
    mutating func encode(_: Double, forKey: Key) {}
    mutating func encode(_: Int, forKey: Key) {}
    mutating func encode(_ value: some Encodable, forKey: Key) throws { try value.encode(to: NullEncoder()) }
    mutating func encodeIfPresent(_: String?, forKey: Key) {}
    mutating func encodeIfPresent(_ value: (some Encodable)?, forKey: Key) throws {
        try value?.encode(to: NullEncoder())
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey: Key
    ) -> KeyedEncodingContainer<Nested> { NullEncoder().container(keyedBy: Nested.self) }

    mutating func nestedUnkeyedContainer(forKey: Key) -> any UnkeyedEncodingContainer { NullContainer() }
    mutating func superEncoder() -> any Encoder { NullEncoder() }
    mutating func superEncoder(forKey: Key) -> any Encoder { NullEncoder() }
}

private struct NullContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    mutating func encodeNil() {}
    mutating func encode(_: Bool) {}
    mutating func encode(_: String) {}
    mutating func encode(_: Double) {}
    mutating func encode(_: Int) {}
    mutating func encode(_ value: some Encodable) throws { try value.encode(to: NullEncoder()) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
        NullEncoder().container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { NullEncoder() }
}

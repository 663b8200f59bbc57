/// A decoder that returns the same text and the same number for every key: the cost of `Codable` itself.
///
/// All lists have the same length, and all optional values are missing.
struct NullDecoder: Decoder {
    let listLength: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(NullKeyedContainer<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { NullUnkeyedContainer(decoder: self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { NullSingleContainer(decoder: self) }

    /// A text that is also a location.
    fileprivate static let text = "1;2"
}

private struct NullKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NullDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_: Key) -> Bool { true }
    func decodeNil(forKey: Key) -> Bool { false }
    func decode(_: Bool.Type, forKey: Key) -> Bool { true }
    func decode(_: String.Type, forKey: Key) -> String { NullDecoder.text }
    func decode(_: Double.Type, forKey: Key) -> Double { 1 }
    func decode(_: Int.Type, forKey: Key) -> Int { 1 }
    func decode<Value: Decodable>(_: Value.Type, forKey: Key) throws -> Value { try Value(from: decoder) }
    func decodeIfPresent<Value: Decodable>(_: Value.Type, forKey: Key) throws -> Value? { nil }

    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey: Key
    ) -> KeyedDecodingContainer<Nested> { decoder.container(keyedBy: Nested.self) }

    func nestedUnkeyedContainer(forKey: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey: Key) -> any Decoder { decoder }
}

private struct NullUnkeyedContainer: UnkeyedDecodingContainer {
    let decoder: NullDecoder
    var codingPath: [any CodingKey] { [] }
    var count: Int? { decoder.listLength }
    var isAtEnd: Bool { currentIndex == decoder.listLength }
    var currentIndex = 0

    init(decoder: NullDecoder) { self.decoder = decoder }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value {
        currentIndex += 1
        return try Value(from: decoder)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedDecodingContainer<Nested> {
        decoder.container(keyedBy: Nested.self)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
    mutating func superDecoder() -> any Decoder { decoder }
}

private struct NullSingleContainer: SingleValueDecodingContainer {
    let decoder: NullDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode(_: Bool.Type) -> Bool { true }
    func decode(_: String.Type) -> String { NullDecoder.text }
    func decode(_: Double.Type) -> Double { 1 }
    func decode(_: Int.Type) -> Int { 1 }
    func decode<Value: Decodable>(_: Value.Type) throws -> Value { try Value(from: decoder) }
}

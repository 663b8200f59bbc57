/// Finds the property with ``RecordName`` of a value while the value encodes its properties.
///
/// A property wrapper has no access to the enclosing value, and the compiler does not list the types that have one.
struct RecordNameSearch {
    /// The values that are being searched: a value may ask for the name of another value, to which it has a link.
    @TaskLocal private static var searched: [SearchedValue] = []

    /// A value usually asks for its own name as the same value; this limits the nesting of values that ask as a copy.
    private static let mostSearched = 64

    private let property: (any RecordNameProperty)?

    /// The error that the value threw before the property was reached.
    let encodingError: (any Error)?

    /// Whether the value has such a property.
    var isFound: Bool { property != nil }

    /// The name that the property holds; nil if it is not generated yet.
    var name: String? { property?.recordName }

    /// Searches a value.
    ///
    /// The value sees an empty `userInfo`, and everything that it writes is discarded.
    ///
    /// - Complexity: O(*n*) for the *n* properties that the value writes first; nothing in them is encoded.
    init(_ value: some Encodable) {
        let encoder = Searcher()
        let searched = SearchedValue(value)
        var failure: (any Error)?
        // A value may ask for its own name while it writes its properties.
        if !Self.searched.contains(searched), Self.searched.count < Self.mostSearched {
            Self.$searched.withValue(Self.searched + [searched]) {
                do { try value.encode(to: encoder) } catch { failure = error }
            }
        }
        property = encoder.answer.property
        encodingError = property == nil ? failure : nil
    }
}

/// A value that is being searched: its type and its bytes, which for a class are the instance's address.
private struct SearchedValue: Equatable, Sendable {
    let type: ObjectIdentifier
    let bytes: [UInt64]

    init<Value>(_ value: Value) {
        type = ObjectIdentifier(Value.self)
        bytes = words(of: value)
    }
}

/// A property that is the name of its record.
protocol RecordNameProperty {
    var recordName: String? { get }
}

extension RecordName: RecordNameProperty {
    var recordName: String? { wrappedValue.recordName }
}

/// Visits the properties of the value itself and of its superclass, and ignores nested values.
private struct Searcher: RecordValueEncoder {
    final class Answer {
        var property: (any RecordNameProperty)?
    }

    /// Ends the search.
    struct Found: Error {}

    var answer = Answer()

    /// Whether these properties belong to the value itself.
    var isOwn = true

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var nested: Searcher { Searcher(answer: answer, isOwn: false) }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(encoder: nested) }
    func singleValueContainer() -> any SingleValueEncodingContainer { Single() }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: Searcher

        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey _: Key) {}

        func encode<Value: Encodable>(_ value: Value, forKey _: Key) throws {
            guard encoder.isOwn, encoder.answer.property == nil, let property = value as? any RecordNameProperty else {
                return
            }
            encoder.answer.property = property
            throw Found()
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey _: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.nested.container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey _: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder }
        func superEncoder(forKey _: Key) -> any Encoder { encoder }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: Searcher
        var count = 0

        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() { count += 1 }
        mutating func encode<Value: Encodable>(_: Value) { count += 1 }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            count += 1
            return encoder.container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            count += 1
            return encoder.unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder {
            count += 1
            return encoder
        }
    }

    struct Single: SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }

        func encodeNil() {}
        func encode<Value: Encodable>(_: Value) {}
    }
}

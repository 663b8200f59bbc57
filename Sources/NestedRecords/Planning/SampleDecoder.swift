#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes a value of a type without a record, from invented contents: strings and numbers are 1, lists are empty, and
/// optional values are missing.
///
/// A value shows what key paths and coding keys do not: the property that a key path reads, and the fields that the type
/// writes.
struct SampleDecoder: Decoder {
    struct Contents {
        /// Changes all strings, numbers, dates and Booleans.
        var seed = 0

        /// The key of the property whose contents differ from those of the others, and that is not missing.
        var marked: String?

        /// Whether optional values are present.
        var isFull = false

        /// The paths of strings that must be locations.
        var locations: Set<String> = []
    }

    final class Requests {
        var keyTypes: [any CodingKey.Type] = []
    }

    /// No value of this type can be invented.
    private struct Unknown: Error {}

    let contents: Contents
    let userInfo: [CodingUserInfoKey: Any]

    /// What the type requests for its own properties.
    private let requests: Requests
    private let depth: Int
    private let isMarked: Bool
    let codingPath: [any CodingKey]

    private static var mostLevels: Int { 16 }
    private static var mostElements: Int { 16 }

    private init(_ contents: Contents, _ requests: Requests, _ userInfo: [CodingUserInfoKey: Any]) {
        (self.contents, self.requests, self.userInfo) = (contents, requests, userInfo)
        (depth, isMarked, codingPath) = (0, false, [])
    }

    private init(in outer: SampleDecoder, at key: any CodingKey, isMarked: Bool) {
        (contents, userInfo, requests) = (outer.contents, outer.userInfo, Requests())
        (depth, self.isMarked, codingPath) = (outer.depth + 1, isMarked, outer.codingPath + [key])
    }

    /// A value of a type, and what the type requested for it; nil if the type accepts no such contents.
    static func sample<Value: Decodable>(
        of _: Value.Type, _ contents: Contents, userInfo: [CodingUserInfoKey: any Sendable]
    ) -> (value: Value, keyTypes: [any CodingKey.Type])? {
        var userInfo: [CodingUserInfoKey: Any] = userInfo
        if let type = Value.self as? any RecordRepresentable.Type {
            userInfo[.recordID] = try? Record.ID(type: type.recordType, name: "1")
        }
        let requests = Requests()
        let decoder = SampleDecoder(contents, requests, userInfo)
        guard let value = try? Value(from: decoder) else { return nil }
        return (value, requests.keyTypes)
    }

    private func inner(at key: any CodingKey) -> SampleDecoder {
        SampleDecoder(in: self, at: key, isMarked: isMarked || isMarked(key))
    }

    private func isMarked(_ key: any CodingKey) -> Bool { depth == 0 && key.stringValue == contents.marked }

    /// Only the type's own optional values are present: a type may contain itself in two of them.
    private func isPresent(_ key: any CodingKey) -> Bool { depth == 0 && contents.isFull || isMarked(key) }

    private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if depth > Self.mostLevels { throw Unknown() }
        let number = 1 + contents.seed + (isMarked ? 2 : 0)
        if let scalar = type as? any FieldScalar.Type {
            let isLocation =
                !contents.locations.isEmpty
                && contents.locations.contains(codingPath.map(\.stringValue).joined(separator: "."))
            return try Self.scalar(scalar, number, isLocation ? "\(number).0;0.0" : "\(number)")
        }
        if let sampled = type as? any Sampled.Type, let value = try sampled.sample(number) as? Value { return value }
        if !(type is any ExpressibleByNilLiteral.Type), let value = firstCase(of: type) { return value }
        if let cases = type as? any CaseIterable.Type, let value = Self.first(of: cases) as? Value { return value }
        return try Value(from: self)
    }

    private static func first<Cases: CaseIterable>(of _: Cases.Type) -> Any? { Cases.allCases.first }

    private static func scalar<Value>(_ type: any FieldScalar.Type, _ number: Int, _ text: String) throws -> Value {
        for value in try values(number, text) {
            if let scalar = type.read(value) as? Value { return scalar }
        }
        throw Unknown()
    }

    /// One of each kind, and strings before what reads as a string too.
    private static func values(_ number: Int, _ text: String) throws -> [Record.Value] {
        [
            .bool(!number.isMultiple(of: 2)), .int(Int64(number)),
            .date(Date(timeIntervalSinceReferenceDate: Double(number))), .bytes(Data([UInt8(number)])), .string(text),
            .location(Location(clampingLatitude: Double(number), longitude: 0)),
            .asset(RecordAsset(checkedHash: String(repeating: "\(number % 10)", count: 64), size: Int64(number))),
            .reference(Record.Reference(to: try Record.ID(type: "Sample", name: "\(number)"))), .map([:]),
            .string("00000000-0000-0000-0000-00000000000\(number)"),
        ]
    }
}

extension SampleDecoder {
    func container<Key: CodingKey>(keyedBy keyType: Key.Type) throws -> KeyedDecodingContainer<Key> {
        requests.keyTypes.append(keyType)
        return KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { List(decoder: self) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: SampleDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        /// An enumeration with payloads has one key, which names its case.
        var allKeys: [Key] { firstCase(of: Key.self).map { [$0] } ?? [] }

        func contains(_ key: Key) -> Bool { decoder.isPresent(key) }
        func decodeNil(forKey key: Key) throws -> Bool { !decoder.isPresent(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder.inner(at: key).value(type)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            if decoder.isMarked(key) { return try decoder.inner(at: key).value(type) }
            return decoder.isPresent(key) ? try? decoder.inner(at: key).value(type) : nil
        }

        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Inner> {
            try decoder.inner(at: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.inner(at: key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { decoder.inner(at: PathKey.super) }
        func superDecoder(forKey key: Key) throws -> any Decoder { decoder.inner(at: key) }
    }

    /// A list without elements, which has elements for a type that does not ask.
    private struct List: UnkeyedDecodingContainer {
        let decoder: SampleDecoder
        var currentIndex = 0

        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { 0 }
        var isAtEnd: Bool { true }

        private mutating func next() throws -> SampleDecoder {
            if currentIndex >= SampleDecoder.mostElements { throw Unknown() }
            defer { currentIndex += 1 }
            return decoder.inner(at: PathKey(index: currentIndex))
        }

        func decodeNil() throws -> Bool { false }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().value(type) }

        mutating func nestedContainer<Key: CodingKey>(
            keyedBy type: Key.Type
        ) throws -> KeyedDecodingContainer<Key> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: SampleDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { !(decoder.depth <= 1 && (decoder.contents.isFull || decoder.isMarked)) }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
    }
}

// MARK: Values with a form that is checked

private protocol Sampled {
    static func sample(_ number: Int) throws -> Self
}

extension Record.ID: Sampled {
    fileprivate static func sample(_ number: Int) throws -> Record.ID {
        try Record.ID(type: "Sample", name: "\(number)")
    }
}

extension RecordLink: Sampled {
    fileprivate static func sample(_ number: Int) throws -> RecordLink {
        RecordLink(to: try Record.ID(type: Target.recordType, name: "\(number)"))
    }
}

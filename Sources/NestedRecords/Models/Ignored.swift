/// An optional or a collection that is never stored and decodes as empty.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     var id: String
///     @Ignored var thumbnails: [Data] = []
/// }
/// ```
///
/// This holds for every coder, even if a record or a JSON object has a value under the property's name. Unlike a
/// property that a ``RecordSchema`` ignores, it needs no default value, and its type need not be `Codable`. A property
/// of another type has no obvious empty value: list it in the schema, with its value.
@propertyWrapper
public struct Ignored<Value: _EmptyRepresentable> {
    /// The value until it is encoded.
    public var wrappedValue: Value

    /// Makes a property.
    ///
    /// - Parameter wrappedValue: The value until it is encoded.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension Ignored: Sendable where Value: Sendable {}
extension Ignored: Equatable where Value: Equatable {}
extension Ignored: Hashable where Value: Hashable {}

extension Ignored: CustomStringConvertible {
    /// The description of the wrapped value.
    public var description: String { "\(wrappedValue)" }
}

extension Ignored: Codable {
    /// Writes null if a coder requires a value.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }

    /// Makes an empty property, and reads nothing.
    ///
    /// - Parameter decoder: Any decoder.
    public init(from decoder: any Decoder) {
        self.init(wrappedValue: ._emptyValue)
    }
}

extension KeyedEncodingContainer {
    /// Writes nothing.
    ///
    /// - Parameters:
    ///   - value: The property.
    ///   - key: The property's key.
    public mutating func encode<Value>(_ value: Ignored<Value>, forKey key: Key) {}
}

extension KeyedDecodingContainer {
    /// Makes an empty property, and reads nothing.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The property's key.
    /// - Returns: The empty property.
    public func decode<Value>(_ type: Ignored<Value>.Type, forKey key: Key) -> Ignored<Value> {
        Ignored(wrappedValue: ._emptyValue)
    }
}

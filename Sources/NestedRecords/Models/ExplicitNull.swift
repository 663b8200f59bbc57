/// An optional property whose nil is stored as null, where others are left out.
///
/// ```swift
/// struct Note: RecordCodable, Identifiable {
///     var id: String
///     @ExplicitNull var reviewer: Person?
/// }
/// ```
///
/// So "there is none" can be told from "never said". Other coders write null too, and both read a missing value as nil.
@propertyWrapper
public struct ExplicitNull<Wrapped> {
    /// The value, nil for null.
    public var wrappedValue: Wrapped?

    /// Makes an optional.
    ///
    /// - Parameter wrappedValue: The value, nil for null.
    public init(wrappedValue: Wrapped?) {
        self.wrappedValue = wrappedValue
    }
}

extension ExplicitNull: Sendable where Wrapped: Sendable {}
extension ExplicitNull: Equatable where Wrapped: Equatable {}
extension ExplicitNull: Hashable where Wrapped: Hashable {}

extension ExplicitNull: CustomStringConvertible {
    /// The description of the wrapped value.
    public var description: String { wrappedValue.map { "\($0)" } ?? "nil" }
}

extension ExplicitNull: Encodable where Wrapped: Encodable {
    /// Writes the value or null.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension ExplicitNull: Decodable where Wrapped: Decodable {
    /// Reads the value or null.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Wrapped?.self)
    }
}

extension KeyedDecodingContainer {
    /// Reads an optional, nil where there is none.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The property's key.
    /// - Returns: The optional.
    /// - Throws: What the decoder throws.
    public func decode<Wrapped: Decodable>(
        _ type: ExplicitNull<Wrapped>.Type, forKey key: Key
    ) throws -> ExplicitNull<Wrapped> {
        ExplicitNull(wrappedValue: try decodeIfPresent(Wrapped.self, forKey: key))
    }
}

/// An optional property that stores nil as null; other optional properties leave nil out.
///
/// ```swift
/// struct Note: RecordCodable, Identifiable {
///     var id: String
///     @ExplicitNull var reviewer: Person?
/// }
/// ```
///
/// So "none" differs from "never set". Other coders write null too, and both read a missing value as nil.
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
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension ExplicitNull: Decodable where Wrapped: Decodable {
    /// Reads the value or null.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Wrapped?.self)
    }
}

extension KeyedDecodingContainer {
    /// Reads an optional; nil if the value is missing.
    public func decode<Wrapped: Decodable>(
        _ type: ExplicitNull<Wrapped>.Type, forKey key: Key
    ) throws -> ExplicitNull<Wrapped> {
        ExplicitNull(wrappedValue: try decodeIfPresent(Wrapped.self, forKey: key))
    }
}

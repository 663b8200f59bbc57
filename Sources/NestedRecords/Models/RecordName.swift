/// The property that holds the name of its record.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     @RecordName var id: String
///     var name: String
/// }
/// ```
///
/// In a record it is not stored as a field, but read from the record's name. Everywhere else, in embedded values and
/// with other coders, it is the plain value. The type needs no `recordName` and need not be `Identifiable`; if it is,
/// its `id` must be this property, or `recordName` must return this property.
///
/// A type with its own `encode(to:)` must write the property itself, not only the wrapped value. Reflection finds the
/// property, so a type with a `customMirror` that hides it must declare `recordName`.
///
/// An optional property that is nil, as in `@RecordName var id: String? = nil`, gets a new UUID as its name when it is
/// encoded. The value itself does not change: decode the record to get the value with its name. A value whose name is nil has no
/// identity, so each copy of it in a graph becomes a separate record, and each further save creates another record. A
/// class instance becomes one record in each graph.
@propertyWrapper
public struct RecordName<Value: RecordNameConvertible> {
    /// The name.
    public var wrappedValue: Value

    /// Creates the property.
    ///
    /// - Parameter wrappedValue: The name; nil to generate a name when the value is encoded.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension RecordName: Sendable where Value: Sendable {}
extension RecordName: Equatable where Value: Equatable {}
extension RecordName: Hashable where Value: Hashable {}

extension RecordName: CustomStringConvertible {
    /// The description of the wrapped value.
    public var description: String { "\(wrappedValue)" }
}

extension RecordName: Encodable where Value: Encodable {
    /// Writes the plain value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension RecordName: Decodable where Value: Decodable {
    /// Reads the plain value.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension KeyedDecodingContainer {
    /// Reads a name; nil if it is missing.
    public func decode<Wrapped: Decodable & RecordNameConvertible>(
        _ type: RecordName<Wrapped?>.Type, forKey key: Key
    ) throws -> RecordName<Wrapped?> {
        try decodeIfPresent(type, forKey: key) ?? RecordName(wrappedValue: nil)
    }
}

protocol RecordNameProperty {
    var recordName: String? { get }
}

extension RecordName: RecordNameProperty {
    var recordName: String? { wrappedValue.recordName }
}

extension RecordRepresentable {
    /// The first property with ``RecordName`` of this value or of its superclass.
    ///
    /// A property wrapper has no access to the enclosing value, and the compiler does not list the types that have one.
    var recordNameProperty: (any RecordNameProperty)? {
        var mirror: Mirror? = Mirror(reflecting: self)
        while let present = mirror {
            for (_, value) in present.children {
                if let property = value as? any RecordNameProperty { return property }
            }
            mirror = present.superclassMirror
        }
        return nil
    }
}

/// The property that is the name of its record.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     @RecordName var id: String
///     var name: String
/// }
/// ```
///
/// In a record it is not stored as a field: the record's name says it already, and gives it back. Everywhere else, in
/// an embedded value and with other coders, it is the plain value.
@propertyWrapper
public struct RecordName<Value> {
    /// The name.
    public var wrappedValue: Value

    /// Makes a name that is written as text.
    public init(wrappedValue: Value) where Value: LosslessStringConvertible {
        self.init(value: wrappedValue)
    }

    init(value: Value) {
        wrappedValue = value
    }
}

extension RecordName: Sendable where Value: Sendable {}
extension RecordName: Equatable where Value: Equatable {}
extension RecordName: Hashable where Value: Hashable {}

extension RecordName: CustomStringConvertible {
    /// The text of the wrapped value.
    public var description: String { "\(wrappedValue)" }
}

extension RecordName: Encodable where Value: Encodable {
    /// Writes the plain value.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension RecordName: Decodable where Value: Decodable {
    /// Reads the plain value.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        self.init(value: try decoder.singleValueContainer().decode(Value.self))
    }
}

/// The values that decoding gives properties whose fields are missing in a record.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     var id: String
///     var isActive: Bool
///     var tags: [String]
///     static let fieldDefaults: FieldDefaults = ["isActive": true, "tags": []]
/// }
/// ```
public struct FieldDefaults: Sendable, Hashable {
    /// The value in the place of each property's field, by the property's name.
    public let values: [String: Record.Value]

    /// Makes a list of values.
    ///
    /// - Parameter values: The value in the place of each property's field, by the property's name (as in
    ///   `CodingKeys`).
    public init(_ values: [String: Record.Value]) {
        self.values = values
    }
}

extension FieldDefaults: ExpressibleByDictionaryLiteral {
    /// Properties with their values; if a name is repeated, the last value is used.
    public init(dictionaryLiteral elements: (String, Record.Value)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

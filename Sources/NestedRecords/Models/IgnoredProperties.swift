/// The properties of a type that are neither stored nor read, with the values that decoding gives them.
///
/// ```swift
/// struct Person: RecordCodable, Identifiable {
///     var id: String
///     var thumbnail: Data?
///     var visits: Int
///     var tags: [String]
///     static let ignoredProperties: IgnoredProperties = ["thumbnail": nil, "visits": 7, "tags": ["new"]]
/// }
/// ```
///
/// Without values it is written as an array: `["thumbnail"]`.
public struct IgnoredProperties: Sendable, Hashable {
    /// The value in the place of each property's field, by the property's name; nil for a field that is missing.
    public let values: [String: Record.Value?]

    /// Makes a list of properties.
    ///
    /// - Parameter values: The value in the place of each property's field, by the property's name (as in
    ///   `CodingKeys`); nil for a field that is missing.
    public init(_ values: [String: Record.Value?]) {
        self.values = values
    }
}

extension IgnoredProperties: ExpressibleByArrayLiteral {
    /// Properties that decode as if their fields were missing.
    public init(arrayLiteral elements: String...) {
        self.init(Dictionary(elements.map { ($0, nil) }, uniquingKeysWith: { first, _ in first }))
    }
}

extension IgnoredProperties: ExpressibleByDictionaryLiteral {
    /// Properties with their values; if a name is repeated, the last value is used.
    public init(dictionaryLiteral elements: (String, Record.Value?)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

/// No properties: what a type says that does not declare a list.
public struct NoProperties: Sendable, Hashable {
    /// Makes an empty list.
    public init() {}
}

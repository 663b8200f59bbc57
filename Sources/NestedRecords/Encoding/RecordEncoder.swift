/// Flattens nested values into records.
///
/// ```swift
/// let graph = try RecordEncoder().encode(school)
/// ```
///
/// Every ``RecordRepresentable`` value becomes a separate record, however deeply it is nested, and a reference in the
/// record that contains it. Every other value becomes a field or a part of a field. Two values with the same ID are the
/// same record; if their contents differ, encoding fails. A class instance is encoded once, so that shared instances
/// and cycles end. No object in the graph may change while it is encoded.
public struct RecordEncoder: Sendable {
    /// The options for turning values into records.
    public var coding: RecordCoding

    /// Makes an encoder.
    ///
    /// - Parameter coding: The options for turning values into records.
    public init(_ coding: RecordCoding = RecordCoding()) { self.coding = coding }

    /// Encodes a value and all that it contains.
    ///
    /// - Parameter value: The root.
    /// - Returns: One record for each identity in the value. The root's record is the last.
    /// - Throws: ``RecordError`` for identities, names and nesting that records cannot have, `EncodingError` for values
    ///   that a field cannot store and for errors that an `encode(to:)` throws. Each error contains its place.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode<Root: RecordEncodable>(_ value: Root) throws -> RecordGraph {
        try EncodingCall.encode(roots: [value], coding)
    }

    /// Encodes several values into one graph, in which they share common records.
    ///
    /// - Parameter values: The roots.
    /// - Returns: One record for each identity in the values.
    /// - Throws: The errors of ``encode(_:)-(Root)``.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode<Root: RecordEncodable>(_ values: [Root]) throws -> RecordGraph {
        try EncodingCall.encode(roots: values, coding)
    }

    /// Encodes values of different types into one graph, in which they share common records.
    ///
    /// ```swift
    /// let graph = try RecordEncoder().encode([school, timetable])
    /// ```
    ///
    /// - Parameter values: The roots.
    /// - Returns: One record for each identity in the values.
    /// - Throws: The errors of ``encode(_:)-(Root)``.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode(_ values: [any RecordEncodable]) throws -> RecordGraph {
        try EncodingCall.encode(roots: values, coding)
    }
}

extension RecordEncoder: CustomStringConvertible {
    /// The options in one line.
    public var description: String { "RecordEncoder with \(coding)" }
}

extension RecordEncoder: ChildlessReflectable {}

/// Flattens nested values into records.
///
/// ```swift
/// let graph = try RecordEncoder().encode(school)
/// ```
///
/// Every ``RecordRepresentable`` value becomes a record of its own, however deeply it is nested, and a reference in
/// the record that contains it. Every other value becomes a field or a part of one. Two values with the same ID are
/// the same record; if their contents differ, encoding fails. A class instance is encoded once, so that shared
/// instances and cycles end. No object in the graph may change while it is encoded.
public struct RecordEncoder: Sendable {
    /// How property names become field names; unchanged by default.
    public var keyStrategy: KeyStrategy = .unchanged

    /// How embedded values are stored; as maps by default.
    public var embeddingStrategy = EmbeddingStrategy.map

    /// How strings of location properties are stored that are not written as locations are; as strings by default.
    public var locationStrategy = LocationStrategy.exact

    /// Whether values may contain each other, as instances of classes can; not by default.
    ///
    /// Records that refer to each other in a cycle can be saved, but not be decoded by types that contain each other.
    /// A property of the type ``RecordLink`` ends a cycle. Use this where the records are only written, or read by other
    /// types.
    public var allowsReferenceCycles = false

    /// What to hand to the `userInfo` of the encoders that values see.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The maximum nesting depth, counting records, embedded values and lists; 1,000 by default.
    ///
    /// A chain of 1,000 records is within the default, a chain of 1,001 is not. If each record is in a list of the one
    /// before, the limit is a chain of 500. The limit also bounds the cost of encoding an endless structure. Deep values are
    /// encoded in threads of their own, so that the stack does not overflow.
    ///
    /// In one field no more than 1,000 values may be nested, whatever the limit. Lines of typed JSON, the binary form and
    /// record files take as many. Foundation's JSON coders take 512, of which a record and its fields are two.
    public var maximumDepth = 1_000

    /// Makes an encoder with the default options.
    public init() {}

    /// Encodes a value and all that it contains.
    ///
    /// - Parameter value: The root.
    /// - Returns: One record for each identity in the value. The root's is the last.
    /// - Throws: ``RecordError`` for identities, names and nesting that records cannot have, `EncodingError` for
    ///   values that a field cannot hold and around errors that an `encode(to:)` throws. Each says where.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode<Root: RecordEncodable>(_ value: Root) throws -> RecordGraph {
        try EncodingCall.encode(roots: [value], self)
    }

    /// Encodes several values into one graph, in which they share what they have in common.
    ///
    /// - Parameter values: The roots.
    /// - Returns: One record for each identity in the values.
    /// - Throws: The errors of ``encode(_:)-(Root)``.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode<Root: RecordEncodable>(_ values: [Root]) throws -> RecordGraph {
        try EncodingCall.encode(roots: values, self)
    }

    /// Encodes values of different types into one graph, in which they share what they have in common.
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
        try EncodingCall.encode(roots: values, self)
    }
}

extension RecordEncoder: CustomStringConvertible {
    /// The options in one line.
    public var description: String {
        "RecordEncoder(keyStrategy: \(keyStrategy), embeddingStrategy: \(embeddingStrategy), "
            + "maximumDepth: \(maximumDepth))"
    }
}

extension RecordEncoder: ChildlessReflectable {}

/// Flattens nested values into records.
///
/// ```swift
/// let graph = try RecordEncoder().encode(school)
/// ```
///
/// Every ``RecordRepresentable`` value, wherever it stands, becomes a record of its own, and a reference in its
/// place. Every other value becomes a field or a part of one. The same ID met again is the same record; if it comes
/// with other content, encoding fails. A class instance is encoded once, so that shared instances and cycles end; like
/// every object in the graph it must not change in the meantime.
public struct RecordEncoder: Sendable {
    /// How property names become field names; unchanged by default.
    public var keyStrategy: KeyStrategy = .unchanged

    /// How embedded values are stored; as maps by default.
    public var embeddingStrategy = EmbeddingStrategy.map

    /// What to hand to the `userInfo` of the encoders that values see.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// How many levels of records and embedded values, lists among them, may stand in each other; 1,000 by default.
    ///
    /// A chain of 1,000 records is within the default, one of 1,001 is not; where each stands in a list of the one
    /// before, a chain of 500 is. The limit also bounds what encoding an
    /// endless structure can cost. Deep values are encoded in threads of their own, so no stack overflows.
    public var maximumDepth = 1_000

    /// Makes an encoder with the default options.
    public init() {}

    /// Encodes a value and all that it contains.
    ///
    /// - Parameter value: The root.
    /// - Returns: One record for each identity in the value. The root's is the last.
    /// - Throws: ``RecordError`` for identities, names and nesting that records cannot have, `EncodingError` for
    ///   values that a field cannot hold and around errors that an `encode(to:)` throws. Each tells where.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode<Root: RecordEncodable>(_ value: Root) throws -> RecordGraph {
        try encode([value])
    }

    /// Encodes several values into one graph, in which they share what they have in common.
    ///
    /// - Parameter values: The roots.
    /// - Returns: One record for each identity in the values.
    /// - Throws: The errors of ``encode(_:)-(Root)``.
    /// - Complexity: O(*n*) for *n* encoded values.
    public func encode<Root: RecordEncodable>(_ values: [Root]) throws -> RecordGraph {
        let session = EncodingSession.session(for: self)
        do {
            return try session.encode(roots: values)
        } catch let conflict as EncodingConflict {
            // The first path costs nothing until it is wanted: encoding again passes the same way.
            let search = EncodingSession(encoder: self)
            search.conflictID = conflict.id
            _ = try? search.encode(roots: values)
            throw RecordError.conflict(
                conflict.id, field: conflict.field, first: search.conflictPath ?? [], second: conflict.path)
        }
    }
}

/// Two different values with one ID, before it is known where the first of them stands.
struct EncodingConflict: Error {
    let id: Record.ID
    let field: String
    let path: [any CodingKey]
}

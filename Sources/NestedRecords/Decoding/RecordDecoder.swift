/// Rebuilds nested values from flat records.
///
/// ```swift
/// let school = try RecordDecoder().decode(School.self, from: graph)
/// ```
///
/// Decoding from a database has two steps. First the records are fetched, level by level: one call fetches all records
/// that the previous level refers to, each record once, and only those that the Swift types read. Then the value is
/// decoded in memory. The decoder determines which references a type reads from its stored properties and coding keys,
/// when the first record of the type is fetched. If these are not sufficient, it learns the rest while it decodes the
/// type for the first time, which may take extra fetches and passes. Every later decoding takes one pass and one call
/// per level. With a custom key strategy, flattened values or registered types, this information belongs to the decoder
/// and its copies.
///
/// A record that occurs several times is decoded once: a class instance is shared.
public struct RecordDecoder: Sendable {
    /// The options for turning records into values: the same as for encoding.
    public var coding: RecordCoding {
        didSet { memory = FetchPlanCache.memory(for: coding) }
    }

    var memory: FetchPlanCache

    /// Makes a decoder.
    ///
    /// - Parameter coding: The options for turning records into values.
    public init(_ coding: RecordCoding = RecordCoding()) {
        self.coding = coding
        memory = FetchPlanCache.memory(for: coding)
    }
}

extension RecordDecoder: CustomStringConvertible {
    /// The options in one line.
    public var description: String { "RecordDecoder with \(coding)" }
}

extension RecordDecoder: ChildlessReflectable {}

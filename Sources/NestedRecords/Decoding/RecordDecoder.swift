/// Rebuilds nested values from flat records.
///
/// ```swift
/// let school = try await RecordDecoder().decode(School.self, named: "hogwarts", in: database)
/// ```
///
/// Decoding from a database has two steps. First the records are fetched, level by level: one call for all records
/// that the level before refers to, each record once, and only those that the Swift types read. Then the value is
/// decoded in memory. Which references a type reads is found from its stored properties and coding keys when its first
/// record is fetched. Where these do not show it, it is learned while the type is decoded for the first time, which may take extra
/// fetches and passes; every later decoding takes one pass and one call per level.
/// With a custom key strategy, or with flattened values, what was learned belongs to the decoder and its copies.
///
/// A record that occurs several times is decoded once: a class comes back as one shared instance.
public struct RecordDecoder: Sendable {
    /// How records become values: as the values became records.
    public var coding: RecordCoding {
        didSet { memory = FetchPlanCache.memory(for: coding) }
    }

    /// The plans of fetches that were made so far.
    var memory: FetchPlanCache

    /// Makes a decoder.
    ///
    /// - Parameter coding: How records become values.
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

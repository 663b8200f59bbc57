/// Rebuilds nested values from flat records.
///
/// ```swift
/// let school = try await RecordDecoder().decode(School.self, named: "hogwarts", in: database)
/// ```
///
/// From a database, decoding has two steps. First the records are fetched, level by level: one call for all records
/// that the level before refers to, each record once, and only those that the Swift types read. Then the value is
/// decoded in memory. Which references a type reads is learnt from its coding keys during the first decoding of the
/// type, and remembered: the first decoding may take several passes, and a few more calls where several types of
/// records that refer to further ones stand side by side; every later one takes one pass and one call per level.
///
/// A record that is met again is decoded once: classes come back as one shared instance.
public struct RecordDecoder: Sendable {
    /// How property names become field names; the same as when the records were encoded.
    public var keyStrategy: KeyStrategy = .unchanged {
        didSet { memory = ReferenceMemory.memory(for: keyStrategy) }
    }

    /// What to hand to the `userInfo` of the decoders that values see.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// How many levels of records and embedded values may stand in each other; 1,000 by default.
    public var maximumDepth = 1_000

    /// How many records one decoding may fetch; no limit by default.
    public var maximumRecords = Int.max

    /// What to do with references whose records are missing.
    public var danglingReferences = DanglingReferencePolicy.throw

    var memory = ReferenceMemory.memory(for: .unchanged)

    /// Makes a decoder with the default options.
    public init() {}
}

/// What to do with a reference whose record is missing.
public enum DanglingReferencePolicy: Sendable, Hashable {
    /// Decoding fails with ``RecordError/danglingReference(to:place:)``.
    case `throw`

    /// An optional becomes nil, and an element of an array, a set or a dictionary with texts as keys is left out.
    /// What was dropped is told in ``Resolution/dropped``. Where a value is required, decoding fails.
    case omit
}

/// A reference that was left out because its record is missing.
public struct DroppedReference: Sendable {
    /// The record that is missing.
    public let target: Record.ID

    /// Where it is referred to.
    public let place: RecordPlace
}

// MARK: From a database

extension RecordDecoder {
    /// Fetches and decodes a value.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - id: The root's ID.
    ///   - database: Where the records are.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: ``RecordError`` for records that are missing, of another type, in a ring, too many or too deep, and
    ///   around errors of the database; `DecodingError` for fields that do not fit the type and around errors that
    ///   an `init(from:)` throws; `CancellationError` if the task is cancelled. Each tells where.
    /// - Complexity: One call of the database per level of references, or more where ``RecordDatabase/batchLimit``
    ///   splits them.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in database: some RecordDatabase
    ) async throws -> sending Root {
        try await resolve(type, from: id, in: database).value
    }

    /// Fetches and decodes the value with a name.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root; its record type is ``RecordRepresentable/recordType``.
    ///   - name: The name of the root's record.
    ///   - database: Where the records are.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: The errors of ``decode(_:from:in:)``, and ``RecordError/invalidID(type:name:reason:place:)``.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, named name: String, in database: some RecordDatabase
    ) async throws -> sending Root {
        try await decode(type, from: Record.ID(type: Root.recordType, name: name), in: database)
    }

    /// Fetches and decodes a value if its record is there.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - id: The root's ID.
    ///   - database: Where the records are.
    /// - Returns: The value; nil if the database has no record with this ID.
    /// - Throws: The errors of ``decode(_:from:in:)``.
    public func decodeIfPresent<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in database: some RecordDatabase
    ) async throws -> sending Root? {
        do {
            return try await decode(type, from: id, in: database)
        } catch RecordError.recordNotFound(id) {
            return nil
        }
    }

    /// Fetches and decodes the value with a name if its record is there.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - name: The name of the root's record.
    ///   - database: Where the records are.
    /// - Returns: The value; nil if the database has no such record.
    /// - Throws: The errors of ``decode(_:named:in:)``.
    public func decodeIfPresent<Root: RecordDecodable>(
        _ type: Root.Type, named name: String, in database: some RecordDatabase
    ) async throws -> sending Root? {
        try await decodeIfPresent(type, from: Record.ID(type: Root.recordType, name: name), in: database)
    }

    /// Fetches and decodes several values together: in as many calls as one of them takes, and with shared instances
    /// where they contain the same records.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the roots.
    ///   - ids: The roots' IDs.
    ///   - database: Where the records are.
    /// - Returns: The values in the order of the IDs.
    /// - Throws: The errors of ``decode(_:from:in:)``, also if a single root is missing.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], in database: some RecordDatabase
    ) async throws -> sending [Root] {
        try await resolve(type, from: ids, in: database).value
    }

    /// Fetches and decodes a value, and tells what that took.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - id: The root's ID.
    ///   - database: Where the records are.
    /// - Returns: The value, the references that were dropped, and the number of calls, levels and records.
    /// - Throws: The errors of ``decode(_:from:in:)``.
    public func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in database: some RecordDatabase
    ) async throws -> sending Resolution<Root> {
        let resolution = try await resolve(type, from: [id], in: database)
        guard let value = resolution.value.first else { throw RecordError.recordNotFound(id) }
        return resolution.map(value)
    }

    /// Fetches and decodes several values together, and tells what that took.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the roots.
    ///   - ids: The roots' IDs.
    ///   - database: Where the records are.
    /// - Returns: The values in the order of the IDs, the references that were dropped, and the number of calls,
    ///   levels and records.
    /// - Throws: The errors of ``decode(_:from:in:)``.
    public func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], in database: some RecordDatabase
    ) async throws -> sending Resolution<[Root]> {
        var resolver = ReferenceResolver(options: self, database: database, knowledge: memory.knowledge(of: type))
        defer { memory.remember(resolver.learner.knowledge, of: type) }
        // Decoding makes the values of Sendable records alone and keeps none of them.
        nonisolated(unsafe) let resolution = try await resolver.resolve(type, roots: ids)
        return resolution
    }
}

// MARK: From memory

extension RecordDecoder {
    /// Decodes the root of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - graph: The records. It must have one root.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)``.
    /// - Complexity: O(*n*) for *n* decoded values.
    public func decode<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> Root {
        try resolve(type, from: graph).value
    }

    /// Decodes a record of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the record.
    ///   - id: The record's ID.
    ///   - graph: The records.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)``.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in graph: RecordGraph
    ) throws -> Root {
        try resolve(type, from: id, in: graph).value
    }

    /// Decodes all roots of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the roots.
    ///   - graph: The records.
    /// - Returns: The values in the order of ``RecordGraph/roots``.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)``.
    public func decodeAll<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> [Root] {
        try resolve(type, from: graph.roots, in: graph).value
    }

    /// Decodes the root of a graph, and tells what was dropped.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - graph: The records. It must have one root.
    /// - Returns: The value and the references that were dropped.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)``.
    public func resolve<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> Resolution<Root> {
        guard graph.roots.count == 1, let root = graph.roots.first else {
            let reason = "the graph has \(graph.roots.count) roots instead of one: name the record to decode"
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
        }
        return try resolve(type, from: root, in: graph)
    }

    /// Decodes a record of a graph, and tells what was dropped.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the record.
    ///   - id: The record's ID.
    ///   - graph: The records.
    /// - Returns: The value and the references that were dropped.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)``.
    public func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in graph: RecordGraph
    ) throws -> Resolution<Root> {
        let resolution = try resolve(type, from: [id], in: graph)
        guard let value = resolution.value.first else { throw RecordError.recordNotFound(id) }
        return resolution.map(value)
    }

    private func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from ids: [Record.ID], in graph: RecordGraph
    ) throws -> Resolution<[Root]> {
        let session = DecodingSession(options: self, records: graph.records, index: graph.index)
        let values = try session.decode(type, roots: ids)
        return Resolution(
            value: values, dropped: session.dropped, calls: 0, levels: 0, records: graph.count, passes: 1)
    }
}

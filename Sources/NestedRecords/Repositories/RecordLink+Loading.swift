extension RecordLink where Target: Decodable {
    /// Fetches and decodes the target.
    ///
    /// - Parameters:
    ///   - database: The database of the records.
    ///   - decoder: How to decode them.
    ///   - isolation: The caller's isolation; the link stays there.
    /// - Returns: The target, with everything that it contains.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``.
    public func load(
        from database: some RecordDatabase, decoder: RecordDecoder = RecordDecoder(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> sending Target {
        try await decoder.decode(Target.self, from: id, in: database)
    }

    /// Fetches and decodes the target if its record exists.
    ///
    /// - Parameters:
    ///   - database: The database of the records.
    ///   - decoder: How to decode them.
    ///   - isolation: The caller's isolation; the link stays there.
    /// - Returns: The target; nil if there is no such record.
    /// - Throws: The errors of ``RecordDatabase/loadIfPresent(_:from:decoder:)``.
    public func loadIfPresent(
        from database: some RecordDatabase, decoder: RecordDecoder = RecordDecoder(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> sending Target? {
        try await database.loadIfPresent(Target.self, from: id, decoder: decoder)
    }

    /// Decodes the target from a graph.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - decoder: How to decode them.
    /// - Returns: The target, with everything that it contains.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:root:)``.
    public func load(from graph: RecordGraph, decoder: RecordDecoder = RecordDecoder()) throws -> Target {
        try decoder.decode(Target.self, from: graph, root: id)
    }
}

extension Sequence {
    /// Fetches and decodes the targets of links together, with as many calls as for one target.
    ///
    /// - Parameters:
    ///   - database: The database of the records.
    ///   - decoder: How to decode them.
    ///   - isolation: The caller's isolation; the links stay there.
    /// - Returns: The targets in the order of the links.
    /// - Throws: The errors of ``RecordDecoder/decode(_:named:in:)``, also if a single target is missing.
    public func load<Target: RecordDecodable>(
        from database: some RecordDatabase, decoder: RecordDecoder = RecordDecoder(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> sending [Target] where Element == RecordLink<Target> {
        try await decoder.decode(Target.self, from: map(\.id), in: database)
    }
}

extension RecordDecoder {
    /// Decodes the root of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - graph: The records. It must have one root.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)-(_,Record.ID,RecordDatabase)``.
    /// - Complexity: O(*n*) for *n* decoded values.
    public func decode<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> Root {
        try decode(type, from: try root(of: graph), in: graph)
    }

    /// Decodes a record of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the record.
    ///   - id: The record's ID.
    ///   - graph: The records.
    /// - Returns: The value, with everything that it contains.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)-(_,Record.ID,RecordDatabase)``.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from id: Record.ID, in graph: RecordGraph
    ) throws -> Root {
        try DecodingSession.run(options: self, records: graph.records, index: graph.index) { session in
            try session.decode(type, root: id)
        }
    }

    /// Decodes all roots of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the roots.
    ///   - graph: The records.
    /// - Returns: The values in the order of ``RecordGraph/roots``.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)-(_,Record.ID,RecordDatabase)``.
    public func decodeAll<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> [Root] {
        try resolve(type, from: graph.roots, in: graph).value
    }

    /// Decodes the root of a graph, and reports the references that were dropped.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the root.
    ///   - graph: The records. It must have one root.
    /// - Returns: The value and the references that were dropped.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)-(_,Record.ID,RecordDatabase)``.
    public func resolve<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> Resolution<Root> {
        try resolve(type, from: try root(of: graph), in: graph)
    }

    private func root(of graph: RecordGraph) throws -> Record.ID {
        if graph.roots.count == 1, let root = graph.roots.first { return root }
        let reason = "the graph has \(graph.roots.count) roots instead of one: name the record to decode"
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }

    /// Decodes a record of a graph, and reports the references that were dropped.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the record.
    ///   - id: The record's ID.
    ///   - graph: The records.
    /// - Returns: The value and the references that were dropped.
    /// - Throws: ``RecordError`` and `DecodingError` as with ``decode(_:from:in:)-(_,Record.ID,RecordDatabase)``.
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
        try DecodingSession.run(options: self, records: graph.records, index: graph.index) { session in
            Resolution(
                value: try session.decode(type, roots: ids), dropped: session.dropped, calls: 0, levels: 0,
                records: graph.count, passes: 1,
                source: ResolvedRecords(roots: ids, records: graph.records, index: graph.index))
        }
    }
}

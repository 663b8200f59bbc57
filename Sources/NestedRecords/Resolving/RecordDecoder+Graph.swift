extension RecordDecoder {
    /// Decodes a record of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the record.
    ///   - graph: The records.
    ///   - root: The ID of the record to decode; nil for the root of a graph that has one root.
    /// - Returns: The value, with all nested values.
    /// - Throws: The ``RecordError`` and `DecodingError` errors of ``decode(_:from:in:)-(_,Record.ID,_)``.
    /// - Complexity: O(*n*) for *n* decoded values.
    public func decode<Root: RecordDecodable>(
        _ type: Root.Type, from graph: RecordGraph, root: Record.ID? = nil
    ) throws -> Root {
        let root = try root ?? onlyRoot(of: graph)
        return try DecodingCall.run(options: coding, records: graph.records, index: graph.index) { call in
            try call.decode(type, root: root)
        }
    }

    /// Decodes all roots of a graph.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the roots.
    ///   - graph: The records.
    /// - Returns: The values in the order of ``RecordGraph/roots``.
    /// - Throws: The ``RecordError`` and `DecodingError` errors of ``decode(_:from:in:)-(_,Record.ID,_)``.
    public func decodeAll<Root: RecordDecodable>(_ type: Root.Type, from graph: RecordGraph) throws -> [Root] {
        try resolve(graph, graph.roots) { try $0.decode(type, roots: graph.roots) }.value
    }

    /// Decodes a record of a graph, and reports the references that were left out.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the record.
    ///   - graph: The records.
    ///   - root: The ID of the record to decode; nil for the root of a graph that has one root.
    /// - Returns: The value and the references that were left out.
    /// - Throws: The ``RecordError`` and `DecodingError` errors of ``decode(_:from:in:)-(_,Record.ID,_)``.
    public func resolve<Root: RecordDecodable>(
        _ type: Root.Type, from graph: RecordGraph, root: Record.ID? = nil
    ) throws -> Resolution<Root> {
        let root = try root ?? onlyRoot(of: graph)
        return try resolve(graph, [root]) { try $0.decode(type, root: root) }
    }

    func decodeReached<Root: RecordDecodable>(
        _ type: Root.Type, from records: ResolvedRecords, roots: [Record.ID]
    ) throws -> (values: [Root], records: ResolvedRecords, readsMetadata: Bool) {
        try DecodingCall.run(options: coding, records: records.records, index: records.index) { call in
            let values = try call.decode(type, roots: roots)
            let reached = ResolvedRecords(of: call, roots: roots, records: records.records, index: records.index)
            return (values, reached, call.state.readsMetadata)
        }
    }

    /// Decodes records of several Swift types, each with what is nested in it.
    func decode(
        _ roots: [(model: any RecordCodable.Type, ids: [Record.ID])], from records: ResolvedRecords
    ) throws -> (values: [any RecordEncodable], readsMetadata: Bool) {
        try DecodingCall.run(options: coding, records: records.records, index: records.index) { call in
            var values: [any RecordEncodable] = []
            for (model, ids) in roots { try values += model.values(of: ids, in: call) }
            return (values, call.state.readsMetadata)
        }
    }

    private func onlyRoot(of graph: RecordGraph) throws -> Record.ID {
        if graph.roots.count == 1, let root = graph.roots.first { return root }
        let reason = "the graph has \(graph.roots.count) roots instead of one: name the record to decode"
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }

    private func resolve<Value>(
        _ graph: RecordGraph, _ roots: [Record.ID], _ decode: (DecodingCall) throws -> Value
    ) throws -> Resolution<Value> {
        try DecodingCall.run(options: coding, records: graph.records, index: graph.index) { call in
            Resolution(
                value: try decode(call), dropped: call.dropped, callCount: 0, levelCount: 0,
                recordCount: graph.count, passCount: 1,
                source: ResolvedRecords(roots: roots, records: graph.records, index: graph.index))
        }
    }
}

extension RecordRepresentable where Self: Codable {
    fileprivate static func values(of ids: [Record.ID], in call: DecodingCall) throws -> [any RecordEncodable] {
        try call.decode(Self.self, roots: ids)
    }
}

extension RecordGraph {
    /// One cycle per group of records that own each other, including records that own themselves.
    ///
    /// - Complexity: O(*n*) for *n* fields and list elements.
    public var owningCycles: [OwningCycle] {
        var owning = OwningReferences()
        for record in records { owning.collect(record) }
        return owning.cycles()
    }

    /// The references to records that are not in the graph, in the order of the records.
    ///
    /// - Complexity: O(*n*) for *n* fields and list elements.
    public var danglingReferences: [DanglingReference] {
        flatMap { $0.danglingReferences { index.position(of: $0, in: records) == nil } }
    }

    /// The records that cannot be reached from the roots; links count as references.
    ///
    /// - Parameter roots: The records to start from. Without roots, every record is an orphan.
    /// - Returns: The other records in the order of the graph.
    /// - Throws: `RecordError.Code.recordNotFound` if a root is not in the graph.
    /// - Complexity: O(*n*) for *n* fields and list elements.
    public func orphans(reachableFrom roots: [Record.ID]) throws -> [Record.ID] {
        var reached = IDInterner(roots)
        for root in roots where self[root] == nil { throw RecordError.recordNotFound(root) }
        var position = 0
        while position < reached.count {
            for reference in self[reached.ids[position]]?.references ?? [] { reached.insert(reference.id) }
            position += 1
        }
        return lazy.map(\.id).filter { reached.number(of: $0) == nil }
    }
}

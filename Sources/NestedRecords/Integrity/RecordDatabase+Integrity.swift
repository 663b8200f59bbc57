extension RecordDatabase {
    /// Finds records that own each other in a cycle.
    ///
    /// - Returns: One cycle per group of records that own each other, including records that own themselves.
    /// - Throws: Errors of ``records(ofType:)``, and `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records, and a fetch of those in cycles; the memory is in proportion to the IDs
    ///   and references of all records.
    public func owningCycles() async throws -> [OwningCycle] {
        let table = try await references()
        let edges = table.owningEdges
        let groups = StronglyConnectedComponents(edges, nodeCount: table.ids.count).groups
        var isInCycle = ContiguousArray(repeating: false, count: groups.count)
        for edge in 0..<edges.count where groups[edges.sources[edge]] == groups[edges.targets[edge]] {
            isInCycle[edges.sources[edge]] = true
        }
        var owning = OwningReferences()
        try await forEachRecord(of: table.records { isInCycle[$0] }) { owning.collect($0) }
        return owning.cycles()
    }

    /// Finds references to missing records.
    ///
    /// Records that change during the scan may be misreported.
    ///
    /// - Returns: The references, in the order in which the database lists the records.
    /// - Throws: Errors of ``records(ofType:)``, and `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records, and a fetch of those with such references; the memory is in proportion to
    ///   the IDs and references of all records.
    public func danglingReferences() async throws -> [DanglingReference] {
        let table = try await references()
        var isDangling = ContiguousArray(repeating: false, count: table.ids.count)
        for edge in 0..<table.edges.count where !table.isPresent(table.edges.targets[edge]) {
            isDangling[table.edges.sources[edge]] = true
        }
        var found: [DanglingReference] = []
        try await forEachRecord(of: table.records { isDangling[$0] }) {
            found += $0.danglingReferences { table.ids.number(of: $0).map { !table.isPresent($0) } ?? false }
        }
        return found
    }

    /// Finds records that cannot be reached from the roots.
    ///
    /// All references count, including links. Records that change during the scan may be misreported.
    ///
    /// - Parameter roots: The records to start from. Without roots, every record is an orphan.
    /// - Returns: The other records, in the order in which the database lists them.
    /// - Throws: `RecordError.Code.recordNotFound` if a root does not exist, errors of ``records(ofType:)``, and
    ///   `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records; the memory is in proportion to their IDs and references.
    public func orphans(reachableFrom roots: [Record.ID]) async throws -> [Record.ID] {
        let table = try await references()
        let numbers = try roots.map { root in
            guard let number = table.ids.number(of: root), table.isPresent(number) else {
                throw RecordError.recordNotFound(root)
            }
            return number
        }
        let reached = table.reached(from: numbers, along: table.edges.sources, to: table.edges.targets)
        return table.records { !reached[$0] }
    }

    /// Calls the closure with the existing ones of some records, fetched in batches.
    ///
    /// A database without a limit should not be asked for all its records at once.
    private func forEachRecord(of ids: [Record.ID], _ body: (Record) -> Void) async throws {
        for ids in ids.batches(of: Swift.min(batchLimit, 1_000)) {
            for record in try await presentRecords(for: Array(ids)) { body(record) }
        }
    }
}

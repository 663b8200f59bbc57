extension RecordDatabase {
    /// Finds records that own each other in a cycle.
    ///
    /// - Returns: One cycle of every group of records that own each other; also a record that owns itself.
    /// - Throws: What ``records(ofType:)`` throws, and `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records; memory and time beyond that are in proportion to the owning references.
    public func owningCycles() async throws -> [OwningCycle] {
        var owning = OwningReferences()
        try await forEachRecord { owning.collect($0) }
        return owning.cycles()
    }

    /// Finds references to records that are not there.
    ///
    /// Records that change during the scan may be misreported.
    ///
    /// - Returns: The references, in the order in which the database lists the records.
    /// - Throws: What ``records(ofType:)`` throws, and `CancellationError` if the task is cancelled.
    /// - Complexity: Two passes over all records; the memory is in proportion to their IDs.
    public func danglingReferences() async throws -> [DanglingReference] {
        var present = IDInterner()
        try await forEachRecord { present.insert($0.id) }
        var found: [DanglingReference] = []
        try await forEachRecord { found += $0.danglingReferences { present.number(of: $0) == nil } }
        return found
    }

    /// Finds records that no way of references leads to.
    ///
    /// All references count, links as well. Records that change during the scan may be misreported.
    ///
    /// - Parameter roots: The records to begin at. Without any, every record is an orphan.
    /// - Returns: The other records, in the order in which the database lists them.
    /// - Throws: ``RecordError/recordNotFound(_:)`` if a root is not there, what ``records(for:)`` and
    ///   ``records(ofType:)`` throw, and `CancellationError` if the task is cancelled.
    /// - Complexity: Fetches every record that can be reached once, in batches; then one pass over all records. The
    ///   memory is in proportion to the IDs that can be reached.
    public func orphans(reachableFrom roots: [Record.ID]) async throws -> [Record.ID] {
        var reached = IDInterner(roots)
        let rootCount = reached.count
        var position = 0
        while position < reached.count {
            let size = Swift.max(1, Swift.min(batchLimit, longestFetch))
            let ids = Array(reached.ids[position...].prefix(size))
            let found = try await presentRecords(for: ids)
            if position < rootCount, found.count < ids.count {
                let present = Set(found.map(\.id))
                let root = reached.ids[position..<rootCount].prefix(size).first { !present.contains($0) }
                if let root { throw RecordError.recordNotFound(root) }
            }
            for record in found {
                for reference in record.references { reached.insert(reference.id) }
            }
            position += ids.count
        }
        var orphans: [Record.ID] = []
        try await forEachRecord { if reached.number(of: $0.id) == nil { orphans.append($0.id) } }
        return orphans
    }

    // A database without a limit should not be asked for all its records at once.
    private var longestFetch: Int { 1_000 }
}

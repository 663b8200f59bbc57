extension RecordDatabase {
    /// Finds records that own each other in a cycle.
    ///
    /// Deleting one of these records deletes all, and CloudKit refuses to save them.
    ///
    /// - Returns: At least one cycle for each group of records that own each other, and no record in two: the records,
    ///   each with the path to the next. The first record is repeated at the end.
    /// - Throws: Errors of ``records(ofType:including:)``, and `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records, and a fetch of those in cycles; the memory is in proportion to the IDs
    ///   and references of all records.
    public func owningCycles() async throws -> [[RecordContext.Step]] {
        let table = try await references()
        var cycles: [[RecordContext.Step]] = []
        for ring in table.owningRings.map({ $0.map { table.ids.ids[$0] } }) {
            let owners = Dictionary(uniqueKeysWithValues: zip(ring, ring.dropFirst() + ring.prefix(1)))
            var steps: [RecordContext.Step] = []
            try await forEachRecord(of: ring) { record in
                guard let path = record.path(toOwner: owners[record.id]) else { return }
                steps.append(.init(record: record.id, path: path))
            }
            // A record may have changed since the scan.
            if steps.count == ring.count { cycles.append(steps + [.init(record: ring[0], path: "")]) }
        }
        return cycles
    }

    /// Finds references to missing records.
    ///
    /// Records that change during the scan may be misreported.
    ///
    /// - Returns: The references, in the order in which the database lists the records.
    /// - Throws: Errors of ``records(ofType:including:)``, and `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records, and a fetch of those with such references; the memory is in proportion to
    ///   the IDs and references of all records.
    public func danglingReferences() async throws -> [DanglingReference] {
        let table = try await references()
        let sources = Set(table.edges.lazy.filter { !table.isPresent($0.target) }.map(\.source))
        var found: [DanglingReference] = []
        try await forEachRecord(of: table.records(where: sources.contains)) {
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
    /// - Throws: `RecordError.Code.recordNotFound` if a root does not exist, errors of ``records(ofType:including:)``, and
    ///   `CancellationError` if the task is cancelled.
    /// - Complexity: One pass over all records; the memory is in proportion to their IDs and references.
    public func orphans(reachableFrom roots: [Record.ID]) async throws -> [Record.ID] {
        let table = try await references()
        let numbers = try roots.map { root in
            guard let number = table.ids.number(of: root), table.isPresent(number) else {
                throw RecordError(.recordNotFound, recordID: root)
            }
            return number
        }
        let reached = table.reached(from: numbers, along: table.edges.lazy.map { ($0.source, $0.target) })
        return table.records { !reached.contains($0) }
    }

    /// Calls the closure with the existing ones of some records, fetched in batches.
    ///
    /// A database without a limit should not be asked for all its records at once.
    private func forEachRecord(of ids: [Record.ID], _ body: (Record) -> Void) async throws {
        for ids in ids.batches(of: Swift.min(limits.batchCount, 1_000)) {
            for record in try await presentRecords(for: Array(ids)) { body(record) }
        }
    }
}

extension Record {
    /// The path to an owning reference to a record; nil if there is none.
    fileprivate func path(toOwner owner: Record.ID?) -> String? {
        var walk = ReferenceWalk(fields)
        while let reference = walk.next() {
            if reference.action == .deleteSelf, reference.id == owner { return walk.pathText }
        }
        return nil
    }
}

extension RecordDatabase {
    /// Returns the record with this ID.
    ///
    /// - Parameter id: The ID.
    /// - Returns: The record, nil if it does not exist.
    /// - Throws: Errors of ``records(for:)``, and `RecordError.Code.invalidResponse` if it returns another
    ///   record.
    public func record(for id: Record.ID) async throws -> Record? {
        let answer = try await records(for: [id])
        if let surplus = answer.first(where: { $0.id != id }) { throw RecordError.notAskedFor(surplus.id) }
        guard answer.count < 2 else { throw RecordError.givenTwice(id) }
        return answer.first
    }

    /// Saves all records of a graph.
    ///
    /// They are saved in one batch; if it exceeds the ``limits``, in several, targets before the records that point to
    /// them. Each record is saved as a whole, also with fields that its Swift type does not know. The saves of a
    /// ``RecordStore`` send only changes, and merge them.
    ///
    /// - Parameters:
    ///   - graph: The records.
    ///   - savePolicy: The policy for saves if the database holds another version.
    /// - Returns: The new metadata of every saved record.
    /// - Throws: Errors of ``commit(_:)``, in which case nothing is saved; after the first of several batches
    ///   `RecordDatabaseError.Code.partiallySaved`.
    @discardableResult
    public func save(
        _ graph: RecordGraph, savePolicy: SavePolicy = .ifUnchanged
    ) async throws -> [Record.ID: Record.Metadata] {
        var save = BatchedSave(records: Array(graph), savePolicy: savePolicy)
        try await save.send(to: self)
        return save.saved
    }
}

extension Array {
    func batches(of limit: Int) -> [ArraySlice<Element>] {
        let size = Swift.max(1, Swift.min(limit, count))
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

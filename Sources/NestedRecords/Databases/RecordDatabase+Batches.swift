extension RecordDatabase {
    /// Refuses a batch that no database can save: for implementations of
    /// ``modifyRecords(saving:deleting:savePolicy:)``.
    ///
    /// - Parameters:
    ///   - records: The records to save.
    ///   - ids: The records to delete.
    /// - Throws: ``RecordDatabaseError/batchTooLarge(count:limit:)`` if there are more than ``batchLimit``,
    ///   ``RecordDatabaseError/duplicateID(_:)`` if a record is saved or deleted twice, or both, and
    ///   ``RecordError/invalidKey(_:reason:context:)`` if a field has no name.
    public func checkBatch(saving records: [Record], deleting ids: [Record.ID]) throws {
        let count = records.count + ids.count
        guard count <= batchLimit else { throw RecordDatabaseError.batchTooLarge(count: count, limit: batchLimit) }
        var seen: Set<Record.ID> = []
        seen.reserveCapacity(records.count + ids.count)
        for record in records {
            guard seen.insert(record.id).inserted else { throw RecordDatabaseError.duplicateID(record.id) }
            try record.checkFieldNames()
        }
        for id in ids {
            guard seen.insert(id).inserted else { throw RecordDatabaseError.duplicateID(id) }
        }
    }

    /// The record with this ID.
    ///
    /// - Parameter id: The ID.
    /// - Returns: The record, nil if it is not there.
    /// - Throws: What ``records(for:)`` throws, and ``RecordError/invalidResponse(_:context:)`` if it answers with
    ///   another record.
    public func record(for id: Record.ID) async throws -> Record? {
        let answer = try await records(for: [id])
        if let surplus = answer.first(where: { $0.id != id }) { throw RecordError.notAskedFor(surplus.id) }
        guard answer.count < 2 else { throw RecordError.givenTwice(id) }
        return answer.first
    }

    /// Deletes records in the given order, in batches; each ID once.
    func deleteInBatches(_ ids: [Record.ID]) async throws {
        for batch in ids.batches(of: batchLimit) {
            do {
                _ = try await modifyRecords(saving: [], deleting: Array(batch), savePolicy: .automatic)
            } catch  where batch.startIndex > 0 {
                throw RecordDatabaseError.partiallyDeleted(
                    Array(ids[..<batch.startIndex]), underlyingError: error)
            }
        }
    }
}

extension Array {
    /// The elements in pieces of the given size, the last one smaller.
    func batches(of limit: Int) -> [ArraySlice<Element>] {
        let size = Swift.max(1, Swift.min(limit, count))
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

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

    /// Deletes records in the given order, in batches; repeated IDs count once.
    func deleteInBatches(_ ids: [Record.ID]) async throws {
        for batch in ids.batches(of: batchLimit) {
            do {
                _ = try await modifyRecords(saving: [], deleting: Array(batch), savePolicy: .ifUnchanged)
            } catch  where batch.startIndex > 0 {
                throw RecordDatabaseError.partiallyDeleted(
                    Array(ids[..<batch.startIndex]), underlyingError: error)
            }
        }
    }
}

extension Array {
    /// The elements in slices of the given size; the last one may be shorter.
    func batches(of limit: Int) -> [ArraySlice<Element>] {
        let size = Swift.max(1, Swift.min(limit, count))
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

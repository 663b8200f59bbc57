extension RecordDatabase {
    /// Calls the closure with every record.
    func forEachRecord(_ body: (Record) -> Void) async throws {
        try Task.checkCancellation()
        for try await record in records(ofType: nil) {
            try Task.checkCancellation()
            body(record)
        }
    }

    /// The records with these IDs that are there, in the order of the IDs, fetched in batches.
    func presentRecords(for ids: [Record.ID]) async throws -> [Record] {
        var found: [Record] = []
        for batch in ids.batches(of: batchLimit) {
            try Task.checkCancellation()
            let answer = try await records(for: Array(batch))
            for id in batch {
                guard let record = answer[id] else { continue }
                guard record.id == id else {
                    let reason = "for \(id) it gave the record \(record.id)"
                    throw RecordError.invalidResponse(reason, context: RecordContext())
                }
                found.append(record)
            }
        }
        return found
    }
}

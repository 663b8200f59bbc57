extension RecordDatabase {
    /// Throws if a call asks for more records than the database takes at a time.
    package func checkCount(of ids: [Record.ID]) throws {
        let limit = limits.batchCount
        if ids.count > limit { throw RecordDatabaseError(.batchTooLarge, .size(ids.count, limit: limit)) }
    }

    /// Calls the closure with each record, except those that the library keeps for itself.
    func forEachRecord(_ body: (Record) -> Void) async throws {
        try Task.checkCancellation()
        for try await record in records(ofType: nil) {
            try Task.checkCancellation()
            body(record)
        }
    }

    /// Returns the existing records with these IDs, in the order of the IDs, fetched in batches.
    func presentRecords(for ids: [Record.ID]) async throws -> [Record] {
        var found: [Record] = []
        for batch in ids.batches(of: limits.batchCount) {
            try Task.checkCancellation()
            let answer = try await recordsByID(for: Array(batch))
            found += batch.compactMap { answer[$0] }
        }
        return found
    }

    package func recordsByID(for ids: [Record.ID]) async throws -> [Record.ID: Record] {
        let answer = try await records(for: ids)
        var found: [Record.ID: Record] = [:]
        found.reserveCapacity(answer.count)
        for record in answer where found.updateValue(record, forKey: record.id) != nil {
            throw RecordError.givenTwice(record.id)
        }
        let asked = Set(ids)
        if let surplus = answer.first(where: { !asked.contains($0.id) }) {
            throw RecordError.notAskedFor(surplus.id)
        }
        return found
    }
}

extension RecordError {
    static func notAskedFor(_ id: Record.ID, context: RecordContext = RecordContext()) -> RecordError {
        RecordError(.invalidResponse, reason: "it returned \(id), which was not requested", context: context)
    }

    static func givenTwice(_ id: Record.ID, context: RecordContext = RecordContext()) -> RecordError {
        RecordError(.invalidResponse, reason: "it returned \(id) twice", context: context)
    }
}

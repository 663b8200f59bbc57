import NestedRecords

/// The reason of a failed check, before its requirement is known.
struct UnmetExpectation: Error {
    let explanation: String
}

func expect(_ condition: Bool, _ explanation: @autoclosure () -> String) throws {
    guard condition else { throw UnmetExpectation(explanation: explanation()) }
}

func unwrap<Value>(_ value: Value?, _ explanation: @autoclosure () -> String) throws -> Value {
    guard let value else { throw UnmetExpectation(explanation: explanation()) }
    return value
}

/// The database error with a code, and about a record if one is given, that the call throws; a failed check if it throws
/// another error or none.
@discardableResult
func databaseError(
    _ code: RecordDatabaseError.Code, of id: Record.ID? = nil, from action: String = "the batch",
    _ call: () async throws -> Void
) async throws -> RecordDatabaseError {
    do {
        try await call()
    } catch let error as RecordDatabaseError {
        try expect(error.code == code && (id == nil || error.recordID == id), "the error is: \(error)")
        return error
    } catch let error as CancellationError {
        throw error
    } catch {
        throw UnmetExpectation(explanation: "\(action) threw an error of another type: \(error)")
    }
    throw UnmetExpectation(explanation: "\(action) was not refused")
}

extension Record {
    static func sample(_ name: String, type: String = "Sample", text: String = "first") throws -> Record {
        try Record(id: ID(type: type, name: name), fields: ["text": .string(text)])
    }

    func with(text: String) -> Record {
        var record = self
        record["text"] = .string(text)
        return record
    }

    /// Fails the check unless this is the record that was saved, with the metadata of the save.
    func expectIsIdentical(to record: Record) throws {
        try expect(metadata == record.metadata, "\(record.id) came back with other metadata than it was saved with")
        try expect(
            Record.Value.map(fields).isIdentical(to: .map(record.fields)),
            "\(record.id) was saved with the fields \(record.fields), and came back with \(fields)")
    }

    var withoutMetadata: Record {
        var record = self
        record.metadata = nil
        return record
    }
}

extension RecordDatabase {
    func saved(_ record: Record, savePolicy: SavePolicy = .overwrite) async throws -> Record {
        let answer = try await commit(RecordBatch(saving: [record], savePolicy: savePolicy))
        try expect(answer.count == 1, "saving one record answered with metadata for \(answer.count)")
        var record = record
        record.metadata = try unwrap(answer[record.id], "saving \(record.id) answered without its metadata")
        return record
    }

    func delete(_ id: Record.ID) async throws {
        _ = try await commit(RecordBatch(saving: [], deletingAnyVersionOf: [id], savePolicy: .overwrite))
    }

    func saveInBatches(_ records: [Record]) async throws {
        for start in stride(from: 0, to: records.count, by: Swift.max(1, Swift.min(batchLimit, records.count))) {
            let batch = Array(records[start...].prefix(batchLimit))
            _ = try await commit(RecordBatch(saving: batch, savePolicy: .overwrite))
        }
    }

    /// Fetches records in batches as large as the limit allows; a failed check if one comes twice or was not requested.
    func fetchInBatches(_ ids: [Record.ID]) async throws -> [Record.ID: Record] {
        var found: [Record.ID: Record] = [:]
        for start in stride(from: 0, to: ids.count, by: Swift.max(1, Swift.min(limits.batchCount, ids.count))) {
            let batch = Array(ids[start...].prefix(limits.batchCount))
            let asked = Set(batch)
            for record in try await records(for: batch) {
                try expect(asked.contains(record.id), "the record \(record.id) was found, but not asked for")
                let other = found.updateValue(record, forKey: record.id)
                try expect(other == nil, "the record \(record.id) was found twice")
            }
        }
        return found
    }

    /// Fails the check unless the database holds exactly this record, with this metadata.
    func expectHolds(_ record: Record) async throws {
        let found = try await unwrap(self.record(for: record.id), "there is no record \(record.id)")
        try found.expectIsIdentical(to: record)
    }

    /// Fails the check unless the database holds exactly these records, with the metadata that a save answered with.
    func expectHolds(_ records: [Record], _ metadata: [Record.ID: Record.Metadata]) async throws {
        for var record in records {
            record.metadata = metadata[record.id]
            try await expectHolds(record)
        }
    }

    func expectLacks(_ id: Record.ID) async throws {
        try await expect(self.record(for: id) == nil, "there is a record \(id)")
    }
}

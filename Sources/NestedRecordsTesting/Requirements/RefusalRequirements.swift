import NestedRecords

extension RecordDatabaseRequirement {
    static let refusals = [
        RecordDatabaseRequirement("refuses a batch that saves a record twice") { database in
            let record = try Record.sample("a", text: "new")
            try await expectDuplicateRefused(
                saving: [record, record.with(text: "newer")], deleting: [], in: database)
        },
        RecordDatabaseRequirement("refuses a batch that saves and deletes a record") { database in
            let record = try Record.sample("a", text: "new")
            try await expectDuplicateRefused(saving: [record], deleting: [record.id], in: database)
        },
        RecordDatabaseRequirement("refuses a batch that deletes a record twice") { database in
            let id = try Record.sample("a").id
            try await expectDuplicateRefused(saving: [], deleting: [id, id], in: database)
        },
        RecordDatabaseRequirement("refuses a field without a name") { database in
            var record = try Record.sample("a")
            record[""] = .int(1)
            let other = try Record.sample("b")
            do {
                let saves = database.batchLimit > 1 ? [other, record] : [record]
                try await database.commit(RecordBatch(saving: saves, savePolicy: .overwrite))
            } catch let error as RecordError where error.code == .invalidKey && error.key == "" {
                try await database.expectLacks(record.id)
                return try await database.expectLacks(other.id)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw UnmetExpectation(explanation: "the error is: \(error)")
            }
            throw UnmetExpectation(explanation: "the record was not refused")
        },
    ]

    private static func expectDuplicateRefused(
        saving records: [Record], deleting ids: [Record.ID], in database: any RecordDatabase
    ) async throws {
        guard database.batchLimit >= 2 else { return }
        let stored = try await database.saved(Record.sample("a"))
        // The duplicate is reported although the records also have no version.
        for policy in [SavePolicy.overwrite, .ifUnchanged] {
            try await databaseError(.duplicateID, of: stored.id) {
                _ = try await database.commit(
                    RecordBatch(saving: records, deletingAnyVersionOf: ids, savePolicy: policy))
            }
        }
        try await database.expectHolds(stored)
    }
}

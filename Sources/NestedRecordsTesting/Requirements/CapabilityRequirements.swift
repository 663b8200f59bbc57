@_spi(Engines) import NestedRecords

extension RecordDatabaseRequirement {
    /// One requirement for each capability that a batch can need: a database has it, or refuses and writes nothing.
    static let capabilities = [
        refusal(.atomicBatches, "a batch of two records") { saved in
            RecordBatch(saving: [try .sample("new"), saved.with(text: "second")])
        },
        refusal(.conditions, "a condition on a record") { saved in
            var batch = RecordBatch(saving: [try .sample("new")])
            batch.conditions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
            return batch
        },
        refusal(.missingConditions, "a condition on a missing record") { _ in
            var batch = RecordBatch(saving: [try .sample("new")])
            batch.conditions = [RecordBatch.VersionedID(try Record.sample("missing").id, version: .missing)]
            return batch
        },
        refusal(.versionedDeletions, "a deletion of a version") { saved in
            var batch = RecordBatch()
            batch.deletions = [RecordBatch.VersionedID(saved.id, version: RecordBatch.Version(of: saved))]
            return batch
        },
        refusal(.referrerConditions, "a condition about referrers") { saved in
            var batch = RecordBatch(deletingAnyVersionOf: [saved.id])
            batch.allowedReferrers[saved.id] = []
            return batch
        },
        refusal(.outcomes, "a batch with an identifier") { _ in
            var batch = RecordBatch(saving: [try .sample("new")])
            batch.id = RecordBatch.makeID()
            return batch
        },
    ]

    private static func refusal(
        _ capability: RecordCapabilities, _ what: String,
        _ make: @escaping @Sendable (Record) throws -> RecordBatch
    ) -> RecordDatabaseRequirement {
        RecordDatabaseRequirement("applies \(what), or refuses it as unsupported and writes nothing") { database in
            let saved = try await database.saved(Record.sample("saved"))
            let batch = try make(saved)
            guard batch.count <= database.limits.batchCount else { return }
            if database.capabilities.contains(capability) {
                try await database.commit(batch)
                for record in batch.saves {
                    let found = try await database.record(for: record.id)
                    try expect(found?.fields == record.fields, "\(record.id) was not saved")
                }
                for deletion in batch.deletions { try await database.expectLacks(deletion.id) }
            } else {
                let error = try await databaseError(.unsupported) { try await database.commit(batch) }
                try expect(
                    error.missingCapabilities == capability,
                    "the error names as missing: \(error.missingCapabilities)")
                try await database.expectHolds(saved)
                try await database.expectLacks(Record.sample("new").id)
            }
        }
    }

    /// Requirements about batches whose answer is lost.
    static let outcomes = [
        RecordDatabaseRequirement("says what became of a batch, and voids one that was not applied", needs: .outcomes) {
            database in
            let (first, second) = (RecordBatch.makeID(), RecordBatch.makeID())
            var batch = RecordBatch(saving: [try .sample("first")])
            batch.id = first
            let saved = try await database.commit(batch)
            let outcome = try await database.outcome(of: first)
            try expect(outcome == saved, "the outcome of an applied batch is \(String(describing: outcome))")
            try await databaseError(.batchVoided, from: "a second batch of one identifier") { [batch] in
                try await database.commit(batch)
            }
            try await expect(database.outcome(of: second) == nil, "a batch that was never sent has an outcome")
            batch = RecordBatch(saving: [try .sample("second")])
            batch.id = second
            try await databaseError(.batchVoided, from: "a batch that was voided") { [batch] in
                try await database.commit(batch)
            }
            try await database.expectLacks(Record.sample("second").id)
            try await databaseError(.outcomeForgotten, from: "the outcome of an old batch") {
                _ = try await database.outcome(of: "1-1")
            }
            batch.id = "first"
            try await databaseError(.unsupported, from: "an identifier of another form") { [batch] in
                try await database.commit(batch)
            }
        }
    ]
}

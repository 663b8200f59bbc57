import NestedRecords

extension RecordDatabaseRequirement {
    static let atomicity =
        [("first", 0), ("in the middle", 1), ("last", 2)].map { place, position in
            RecordDatabaseRequirement("saves and deletes nothing of a batch with a conflict \(place)") { database in
                guard database.batchLimit >= 4 else { return }
                let batch = try await Batch(in: database)
                var saves = [batch.new, batch.changed]
                saves.insert(batch.stale, at: position)
                try await databaseError(.conflict) { [saves] in
                    _ = try await database.commit(
                        RecordBatch(saving: saves, deletingAnyVersionOf: [batch.kept.id], savePolicy: .ifUnchanged))
                }
                try await batch.expectUntouched(in: database)
            }
        } + [
            RecordDatabaseRequirement("saves and deletes nothing of a batch with an unknown record") { database in
                guard database.batchLimit >= 4 else { return }
                let batch = try await Batch(in: database)
                var unknown = try Record.sample("unknown")
                unknown.metadata = batch.kept.metadata
                let saves = [batch.new, batch.changed, unknown]
                let error = try await databaseError(.unknownRecord) {
                    _ = try await database.commit(
                        RecordBatch(saving: saves, deletingAnyVersionOf: [batch.kept.id], savePolicy: .ifUnchanged))
                }
                try expect(error.clientRecord == unknown, "the error is: \(error)")
                try await batch.expectUntouched(in: database)
                try await database.expectLacks(unknown.id)
            },
            RecordDatabaseRequirement("saves and deletes nothing of a batch that names a record twice") { database in
                guard database.batchLimit >= 4 else { return }
                let batch = try await Batch(in: database)
                let saves = [batch.new, batch.changed]
                try await databaseError(.duplicateID, of: batch.changed.id) {
                    _ = try await database.commit(
                        RecordBatch(
                            saving: saves, deletingAnyVersionOf: [batch.kept.id, batch.changed.id],
                            savePolicy: .overwrite))
                }
                try await batch.expectUntouched(in: database)
            },
            RecordDatabaseRequirement("saves the records of a batch that deletes a missing record") { database in
                guard database.batchLimit >= 2 else { return }
                let absent = try Record.sample("absent").id
                for policy in SavePolicy.allCases {
                    let record = try Record.sample("\(policy)")
                    let answer = try await database.commit(
                        RecordBatch(saving: [record], deletingAnyVersionOf: [absent], savePolicy: policy))
                    try await database.expectHolds([record], answer)
                    try await database.expectLacks(absent)
                }
            },
            RecordDatabaseRequirement("saves and deletes everything of a good batch") { database in
                guard database.batchLimit >= 3 else { return }
                let batch = try await Batch(in: database)
                let saves = [batch.new, batch.changed]
                let answer = try await database.commit(
                    RecordBatch(saving: saves, deletingAnyVersionOf: [batch.kept.id]))
                try expect(Set(answer.keys) == Set(saves.map(\.id)), "the answer is not about the saved records")
                try await database.expectHolds(saves, answer)
                try await database.expectLacks(batch.kept.id)
            },
            RecordDatabaseRequirement("does nothing with an empty batch") { database in
                let record = try await database.saved(Record.sample("a"))
                let answer = try await database.commit(RecordBatch())
                try expect(answer.isEmpty, "the answer has metadata for \(answer.count) records")
                try await database.expectHolds(record)
            },
        ]

    private struct Batch {
        let new: Record
        let kept: Record
        let unchanged: Record
        let newer: Record
        let changed: Record
        let stale: Record

        init(in database: any RecordDatabase) async throws {
            new = try Record.sample("new")
            kept = try await database.saved(Record.sample("kept"))
            unchanged = try await database.saved(Record.sample("unchanged"))
            changed = unchanged.with(text: "changed")
            let older = try await database.saved(Record.sample("stale"))
            newer = try await database.saved(older.with(text: "newer"))
            stale = older.with(text: "stale")
        }

        func expectUntouched(in database: any RecordDatabase) async throws {
            try await database.expectLacks(new.id)
            for record in [kept, unchanged, newer] { try await database.expectHolds(record) }
        }
    }
}

import NestedRecords

extension RecordDatabaseRequirement {
    static let deletion = [
        RecordDatabaseRequirement("has no record that was deleted") { database in
            let gone = try await database.saved(Record.sample("gone"))
            try await database.delete(gone.id)
            try await database.expectLacks(gone.id)
        },
        RecordDatabaseRequirement("deletes the named records and no others", needs: .allNames) { database in
            let gone = try await database.saved(Record.sample("1", type: "Gone"))
            let others = [
                try await database.saved(Record.sample("1", type: "Kept")),
                try await database.saved(Record.sample("11", type: "Gone")),
                try await database.saved(Record.sample("1/1", type: "Gone")),
            ]
            try await database.delete(gone.id)
            for record in others { try await database.expectHolds(record) }
        },
        RecordDatabaseRequirement("ignores deletions of missing records") { database in
            let absent = try Record.sample("absent")
            for policy in SavePolicy.allCases {
                let answer = try await database.commit(
                    RecordBatch(deletingAnyVersionOf: [absent.id], savePolicy: policy))
                try expect(answer.isEmpty, "the answer has metadata of a record that was not saved")
            }
        },
        RecordDatabaseRequirement("keeps the records that refer to a deleted one") { database in
            // The caller decides about cascades; a single call deletes only the named records.
            let target = try await database.saved(Record.sample("target"))
            var source = try Record.sample("source")
            source["target"] = .reference(Record.Reference(to: target.id, action: .deleteSelf))
            source = try await database.saved(source)
            try await database.delete(target.id)
            try await database.expectHolds(source)
        },
    ]
}

import NestedRecords

extension RecordDatabaseRequirement {
    /// Requirements about `RecordBatch.allowedReferrers`.
    static let referrers = [
        checked("applies nothing of a batch while another record refers to one to which none may") { database in
            let target = try await database.saved(Record.sample("target"))
            for (name, value) in try places(of: target.id) {
                var holder = try Record.sample("holder", type: "Holder")
                holder["target"] = value
                holder = try await database.saved(holder)
                let error = try await databaseError(.stillReferenced, of: target.id, from: "a deletion, with \(name),")
                {
                    _ = try await database.commit(Record.sample("new").batch(deletingUnreferenced: target))
                }
                let found = error.references.map { $0.context.record }
                try expect(found == [holder.id], "the error names the holders \(found)")
                try await database.expectHolds(target)
                try await database.expectHolds(holder)
                try await database.expectLacks(Record.sample("new").id)
            }
            var condition = RecordBatch()
            condition.allowedReferrers[target.id] = []
            try await databaseError(.stillReferenced) { [condition] in _ = try await database.commit(condition) }
            try await database.delete(Record.sample("holder", type: "Holder").id)
            try await database.commit(condition)
            try await database.commit(Record.sample("new").batch(deletingUnreferenced: target))
            try await database.expectLacks(target.id)
        },
        checked("takes the references that a batch leaves, and not those before it") { database in
            let target = try await database.saved(Record.sample("target").referring(to: "target"))
            let cleared = try await database.saved(Record.sample("cleared").referring(to: "target"))
            let deleted = try await database.saved(Record.sample("deleted").referring(to: "target"))
            let allowed = try await database.saved(Record.sample("allowed").referring(to: "target"))
            var batch = RecordBatch(
                saving: [try cleared.referring(to: "other")], deletingAnyVersionOf: [target.id, deleted.id])
            batch.allowedReferrers[target.id] = [allowed.id]
            if batch.count > database.batchLimit { return }
            batch.saves.append(try Record.sample("new").referring(to: "target"))
            if batch.count <= database.batchLimit {
                try await databaseError(.stillReferenced, of: target.id) { [batch] in
                    _ = try await database.commit(batch)
                }
                try await database.expectHolds(cleared)
                try await database.expectHolds(deleted)
            }
            batch.saves.removeLast()
            try await database.commit(batch)
            try await database.expectLacks(target.id)
            try await database.expectHolds(allowed)
        },
        checked("takes a condition about the referrers of a missing record as met") { database in
            let holder = try await database.saved(Record.sample("holder").referring(to: "missing"))
            let missing = try Record.sample("missing")
            try await database.commit(Record.sample("1").batch(deletingUnreferenced: missing))
            var batch = RecordBatch(saving: [try Record.sample("2")])
            batch.allowedReferrers[missing.id] = []
            try await database.commit(batch)
            let deleted = try await database.saved(missing)
            try await database.delete(deleted.id)
            batch.saves = [try Record.sample("3")]
            try await database.commit(batch)
            try await database.expectHolds(holder)
            for name in ["1", "2", "3"] {
                let record = try await database.record(for: Record.sample(name).id)
                try expect(record != nil, "a batch that saves the record \(name) was not applied")
            }
        },
        checked("applies one of a deletion and a new reference that are committed at the same time") { database in
            for round in 0..<20 {
                let target = try await database.saved(Record.sample("target \(round)"))
                let holder = try Record.sample("holder \(round)").referring(to: "target \(round)")
                async let saved: Bool = {
                    // Each of the two is the first one in some rounds.
                    if !round.isMultiple(of: 4) { try await Task.sleep(for: .microseconds(round * 100)) }
                    try await database.commit(RecordBatch(saving: [holder]))
                    return try await database.record(for: target.id) != nil
                }()
                async let deleted: Bool = {
                    var batch = RecordBatch(deletingAnyVersionOf: [target.id])
                    batch.allowedReferrers[target.id] = []
                    do {
                        try await database.commit(batch)
                        return true
                    } catch RecordDatabaseError.Code.stillReferenced {
                        return false
                    }
                }()
                let (isSavedFirst, isDeleted) = try await (saved, deleted)
                try expect(
                    !(isSavedFirst && isDeleted),
                    "a record was deleted after a record that refers to it had been saved")
            }
        },
    ]

    private static func checked(
        _ name: String, _ body: @escaping @Sendable (any RecordDatabase) async throws -> Void
    ) -> RecordDatabaseRequirement {
        RecordDatabaseRequirement(name, needs: .referrerConditions) { database in
            if database.batchLimit >= 2 { try await body(database) }
        }
    }

    private static func places(of id: Record.ID) throws -> [(String, Record.Value)] {
        let reference = Record.Value.reference(Record.Reference(to: id))
        return [
            ("a reference", reference), ("a link", .reference(Record.Reference(to: id, isLink: true))),
            ("a reference that owns", .reference(Record.Reference(to: id, action: .deleteSelf))),
            ("a reference in a list", .list([.null, .list([reference])])),
            ("a reference in a map", .map(["é": .map(["x": reference])])),
        ]
    }
}

extension Record {
    fileprivate func batch(deletingUnreferenced target: Record) -> RecordBatch {
        var batch = RecordBatch(saving: [self], deletingAnyVersionOf: [target.id])
        batch.allowedReferrers[target.id] = []
        return batch
    }

    fileprivate func referring(to name: String) throws -> Record {
        var record = self
        record["target"] = .reference(Reference(to: try ID(type: "Sample", name: name)))
        return record
    }
}

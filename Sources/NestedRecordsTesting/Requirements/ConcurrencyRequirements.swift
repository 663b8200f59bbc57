import NestedRecords

extension RecordDatabaseRequirement {
    static let concurrency = [
        RecordDatabaseRequirement("keeps every record of a hundred concurrent saves") { database in
            for record in try await saveConcurrently(in: database) { try await database.expectHolds(record) }
        },
        RecordDatabaseRequirement("gives different tags to the versions of a hundred concurrent saves") { database in
            let name = "same"
            let tags = Set(try await saveConcurrently(as: name, in: database).compactMap(\.metadata?.changeTag))
            try expect(tags.count == 100, "a hundred saves of one record have \(tags.count) different tags")
        },
        RecordDatabaseRequirement("lets one of two concurrent changes of a version win") { database in
            for round in 0..<20 {
                let first = try await database.saved(Record.sample("\(round)"))
                async let left = unlessConflict(first.with(text: "left"), in: database)
                async let right = unlessConflict(first.with(text: "right"), in: database)
                let winners = try await [left, right].compactMap { $0 }
                try expect(winners.count == 1, "\(winners.count) of two changes were saved")
                for winner in winners { try await database.expectHolds(winner) }
            }
        },
        RecordDatabaseRequirement("checks the conditions of a batch together with its changes", needs: .conditions) {
            database in
            guard database.batchLimit >= 2 else { return }
            for round in 0..<20 {
                let left = try await database.saved(Record.sample("left \(round)"))
                let right = try await database.saved(Record.sample("right \(round)"))
                async let first = isApplied(left.with(text: "changed"), requiring: right, in: database)
                async let second = isApplied(right.with(text: "changed"), requiring: left, in: database)
                let count = try await [first, second].count { $0 }
                try expect(count < 2, "two batches were applied, each of which requires that the other is not")
            }
        },
        RecordDatabaseRequirement("shows a concurrent reader all of a batch or nothing", needs: .snapshotReads) {
            database in
            guard database.batchLimit >= 2 else { return }
            let records = try ["left", "right"].map { try Record.sample($0) }
            try await database.saveInBatches(records)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 1...200 {
                        try await database.commit(
                            RecordBatch(saving: records.map { $0.with(text: "\(round)") }, savePolicy: .overwrite))
                    }
                }
                for _ in 1...200 {
                    let found = try await database.fetchInBatches(records.map(\.id))
                    let texts = Set(records.map { found[$0.id]?["text"] })
                    try expect(texts.count == 1, "a reader found records of two batches that belong together")
                }
                try await group.waitForAll()
            }
        },
    ]

    private static func saveConcurrently(
        as name: String? = nil, in database: any RecordDatabase
    ) async throws -> [Record] {
        try await withThrowingTaskGroup(of: Record.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await database.saved(Record.sample(name ?? "\(number)", text: "\(number)"))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func unlessConflict(_ record: Record, in database: any RecordDatabase) async throws -> Record? {
        do {
            return try await database.saved(record, savePolicy: .ifUnchanged)
        } catch RecordDatabaseError.Code.conflict {
            return nil
        }
    }

    private static func isApplied(
        _ record: Record, requiring other: Record, in database: any RecordDatabase
    ) async throws -> Bool {
        var batch = RecordBatch(saving: [record])
        batch.conditions = [RecordBatch.VersionedID(other.id, version: RecordBatch.Version(of: other))]
        do {
            try await database.commit(batch)
            return true
        } catch let error as RecordDatabaseError where [.conflict, .versionMismatch].contains(error.code) {
            return false
        }
    }
}

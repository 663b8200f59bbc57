import NestedRecords

extension RecordDatabaseRequirement {
    static let batchLimits = [
        RecordDatabaseRequirement("refuses to save and delete more than its limit in one call", needs: .atomicBatches) {
            database in
            guard let records = try oneTooMany(for: database) else { return }
            let ids = records.suffix(records.count / 2).map(\.id)
            try await expectRefused(count: records.count, limit: database.batchLimit) {
                try await database.commit(
                    RecordBatch(
                        saving: Array(records.prefix(records.count - ids.count)), deletingAnyVersionOf: ids,
                        savePolicy: .overwrite)
                )
            }
            let all = records.map(\.id)
            for half in [all.dropFirst(all.count / 2), all.prefix(all.count / 2)] {
                let found = try await database.records(for: Array(half))
                try expect(found.isEmpty, "\(found.map(\.id)) were saved by a call that was refused")
            }
        },
        RecordDatabaseRequirement("deletes nothing of a call with more than its limit", needs: .atomicBatches) {
            database in
            guard let records = try oneTooMany(for: database) else { return }
            let kept = try await database.saved(Record.sample("kept"))
            try await expectRefused(count: records.count, limit: database.batchLimit) {
                try await database.commit(
                    RecordBatch(
                        saving: Array(records.dropLast()), deletingAnyVersionOf: [kept.id], savePolicy: .overwrite))
            }
            try await database.expectHolds(kept)
        },
        RecordDatabaseRequirement("refuses to fetch more than its limit in one call") { database in
            let limit = database.limits.batchCount
            guard limit < 20_000 else { return }
            let records = try (0...limit).map { try Record.sample("\($0)") }
            try await expectRefused(count: records.count, limit: limit) {
                _ = try await database.records(for: records.map(\.id))
            }
        },
        RecordDatabaseRequirement("takes as many as its limit in one call") { database in
            guard let records = try oneTooMany(for: database)?.dropLast(), !records.isEmpty else { return }
            try await database.commit(RecordBatch(saving: Array(records), savePolicy: .overwrite))
            let found = try await database.records(for: records.map(\.id))
            try expect(found.count == records.count, "\(found.count) of \(records.count) records were found")
        },
        RecordDatabaseRequirement("takes a graph that is larger than its limit") { database in
            let count = min(database.batchLimit, 250) * 2 + 1
            let records = try (0..<count).map { number in
                var record = try Record.sample("\(number)")
                if number > 0 {
                    record["next"] = .reference(Record.Reference(to: try Record.sample("\(number - 1)").id))
                }
                return record
            }
            let answer = try await database.save(RecordGraph(records))
            try expect(answer.count == count, "the answer has metadata for \(answer.count) of \(count) records")
            try await database.expectHolds(records, answer)
        },
    ]

    /// One record more than the limit; nil if there is no limit, or it is too large to test.
    private static func oneTooMany(for database: any RecordDatabase) throws -> [Record]? {
        guard database.batchLimit < 20_000 else { return nil }
        return try (0...database.batchLimit).map { try Record.sample("\($0)") }
    }

    private static func expectRefused(count: Int, limit: Int, _ call: () async throws -> Void) async throws {
        let action = "a call with \(count) records and a limit of \(limit)"
        let error = try await databaseError(.batchTooLarge, from: action, call)
        var hasSize = false
        if case .size(count, limit: limit) = error.detail { hasSize = true }
        try expect(hasSize, "the error is: \(error)")
    }
}

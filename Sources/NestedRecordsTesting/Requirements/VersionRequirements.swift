import NestedRecords

extension RecordDatabaseRequirement {
    static let versions =
        VersionSituation.allCases.flatMap { situation in
            [
                RecordDatabaseRequirement("\(situation.outcome) \(situation.deletion)", needs: .versionedDeletions) {
                    database in
                    try await situation.check(in: database, isDeletion: true)
                },
                RecordDatabaseRequirement(
                    "\(situation.batchOutcome) \(situation.condition)", needs: situation.neededForCondition
                ) { database in
                    try await situation.check(in: database, isDeletion: false)
                },
            ]
        } + [
            RecordDatabaseRequirement(
                "refuses a batch that saves a record and has a condition for it", needs: .conditions
            ) { database in
                guard database.batchLimit >= 2 else { return }
                let record = try await database.saved(Record.sample("a"))
                var batch = RecordBatch(saving: [record.with(text: "second")])
                batch.conditions = [RecordBatch.VersionedID(record.id, version: RecordBatch.Version(of: record))]
                try await databaseError(.duplicateID, of: record.id) { [batch] in _ = try await database.commit(batch) }
                try await database.expectHolds(record)
            }
        ]
}

private enum VersionSituation: String, CaseIterable {
    case equal, other, gone, present, absent

    var neededForCondition: RecordCapabilities {
        self == .present || self == .absent ? .missingConditions : .conditions
    }

    var isMet: Bool { self == .equal || self == .absent }

    var outcome: String { isMet ? "applies" : "refuses" }

    var batchOutcome: String { isMet ? "applies a batch" : "refuses a batch" }

    var deletion: String {
        switch self {
        case .equal: "the deletion of the current version"
        case .other: "the deletion of an outdated version"
        case .gone: "the deletion of a version of a missing record"
        case .present: "the deletion of a record that must not exist and does"
        case .absent: "the deletion of a record that must not exist and does not"
        }
    }

    var condition: String {
        switch self {
        case .equal: "with a condition for the current version"
        case .other: "with a condition for an outdated version"
        case .gone: "with a condition for a version of a missing record"
        case .present: "with a condition that an existing record is missing"
        case .absent: "with a condition that a missing record is missing"
        }
    }

    func check(in database: any RecordDatabase, isDeletion: Bool) async throws {
        guard database.batchLimit >= 2 else { return }
        let first = try await database.saved(Record.sample("a"))
        var server: Record? = first
        if self == .other { server = try await database.saved(first.with(text: "second")) }
        if self == .gone || self == .absent {
            try await database.delete(first.id)
            server = nil
        }
        let version: RecordBatch.Version =
            self == .present || self == .absent ? .missing : RecordBatch.Version(of: first)
        let other = try Record.sample("b")
        var batch = RecordBatch(saving: [other])
        if isDeletion {
            batch.deletions = [RecordBatch.VersionedID(first.id, version: version)]
        } else {
            batch.conditions = [RecordBatch.VersionedID(first.id, version: version)]
        }
        if isMet {
            let answer = try await database.commit(batch)
            try expect(Array(answer.keys) == [other.id], "the answer is not about the saved record alone")
            if isDeletion || server == nil {
                try await database.expectLacks(first.id)
            } else if let server {
                try await database.expectHolds(server)
            }
        } else {
            let error = try await databaseError(.versionMismatch, of: first.id) { [batch] in
                _ = try await database.commit(batch)
            }
            try expect(error.expectedVersion == version, "the error is: \(error)")
            try expect(error.serverRecord == server, "the error carries another record than the one in the database")
            try await database.expectLacks(other.id)
            if let server { try await database.expectHolds(server) } else { try await database.expectLacks(first.id) }
        }
    }
}

import NestedRecords

extension RecordDatabaseRequirement {
    static let savePolicies =
        SaveSituation.allCases.flatMap { situation in
            SavePolicy.allCases.map { policy in
                let outcome = situation.outcome(under: policy)
                let name = "with the policy \(policy) \(outcome.rawValue) \(situation.rawValue)"
                return RecordDatabaseRequirement(name) { try await situation.check(policy, in: $0) }
            }
        } + [
            RecordDatabaseRequirement("takes a record that was merged into the one of a conflict") { database in
                let first = try await database.saved(Record.sample("a"))
                _ = try await database.saved(first.with(text: "second"))
                let client = first.with(text: "third")
                let error = try await databaseError(.conflict, from: "saving over a newer version") {
                    _ = try await database.saved(client, savePolicy: .ifUnchanged)
                }
                var merged = try unwrap(error.serverRecord, "the error is: \(error)")
                merged["text"] = client["text"]
                try await database.expectHolds(database.saved(merged, savePolicy: .ifUnchanged))
            }
        ]
}

private enum SaveSituation: String, CaseIterable {
    case newWithoutTag = "a missing record without a tag"
    case presentWithoutTag = "an existing record without a tag"
    case presentWithEqualTag = "a record with the current tag"
    case presentWithOtherTag = "a record with an outdated tag"
    case absentWithTag = "a missing record with a tag"

    enum Outcome: String {
        case inserted = "inserts"
        case replaced = "replaces"
        case conflict = "refuses as a conflict"
        case unknownRecord = "refuses as unknown"
    }

    func outcome(under policy: SavePolicy) -> Outcome {
        switch (self, policy) {
        case (.newWithoutTag, _), (.absentWithTag, .overwrite): .inserted
        case (.presentWithEqualTag, _), (_, .overwrite): .replaced
        case (.presentWithoutTag, .ifUnchanged), (.presentWithOtherTag, _): .conflict
        case (.absentWithTag, _): .unknownRecord
        }
    }

    private func prepare(_ database: any RecordDatabase) async throws -> (client: Record, server: Record?) {
        let new = try Record.sample("a", text: "new")
        guard self != .newWithoutTag else { return (new, nil) }
        let first = try await database.saved(Record.sample("a"))
        switch self {
        case .newWithoutTag, .presentWithoutTag:
            return (new, first)
        case .presentWithEqualTag:
            return (first.with(text: "new"), first)
        case .presentWithOtherTag:
            let second = try await database.saved(first.with(text: "second"))
            return (first.with(text: "new"), second)
        case .absentWithTag:
            try await database.delete(first.id)
            return (first.with(text: "new"), nil)
        }
    }

    func check(_ policy: SavePolicy, in database: any RecordDatabase) async throws {
        let (client, server) = try await prepare(database)
        switch outcome(under: policy) {
        case .inserted, .replaced:
            let saved = try await database.saved(client, savePolicy: policy)
            for tag in [client.metadata?.changeTag, server?.metadata?.changeTag] {
                try expect(saved.metadata?.changeTag != tag, "the record kept the tag of an earlier version")
            }
            return try await database.expectHolds(saved)
        case .conflict:
            let error = try await databaseError(.conflict, from: "the save") {
                _ = try await database.saved(client, savePolicy: policy)
            }
            try expect(error.clientRecord == client, "the error carries another record than the one to save")
            try expect(error.serverRecord == server, "the error carries another record than the one in the database")
        case .unknownRecord:
            let error = try await databaseError(.unknownRecord, from: "the save") {
                _ = try await database.saved(client, savePolicy: policy)
            }
            try expect(error.clientRecord == client, "the error carries another record than the one to save")
        }
        if let server { try await database.expectHolds(server) } else { try await database.expectLacks(client.id) }
    }
}
